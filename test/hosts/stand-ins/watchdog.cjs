// Stands in for VS Code's native watchdog module in the test hosts: ends this process when the watched one is gone.
const CHECK_MS = 2000;

exports.start = (pid) => {
  setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if (error.code === 'ESRCH') process.exit(87);
    }
  }, CHECK_MS).unref();
};

exports.exit = (code) => process.exit(code ?? 0);
