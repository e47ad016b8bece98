/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads this file as CommonJS */
// Stands in for the native module @vscode/spdlog in the test hosts: the same interface, with plain appends to the
// file. Rotation is left out, since a test's log stays small.
const fs = require('node:fs');
const path = require('node:path');

const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

let defaultLevel = 2;

class Logger {
  constructor(_type, _name, file) {
    this.file = file;
    this.level = defaultLevel;
    this.plain = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.append('');
  }
  append(text) {
    try {
      fs.appendFileSync(this.file, text);
    } catch {
      // A log that cannot be written must not stop the host, as with the original.
    }
  }
  log(level, message) {
    if (level < this.level) return;
    if (this.plain) return this.append(message);
    const now = new Date();
    const time = new Date(now - now.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').replace('Z', '');
    this.append(`${time} [${NAMES[level]}] ${message}\n`);
  }
  trace(message) {
    this.log(0, message);
  }
  debug(message) {
    this.log(1, message);
  }
  info(message) {
    this.log(2, message);
  }
  warn(message) {
    this.log(3, message);
  }
  error(message) {
    this.log(4, message);
  }
  critical(message) {
    this.log(5, message);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {}
  clearFormatters() {
    this.plain = true;
  }
  flush() {}
  drop() {}
}

exports.version = 0;
exports.Logger = Logger;
exports.setLevel = (level) => {
  defaultLevel = level;
};
exports.setFlushOn = () => {};
exports.createRotatingLogger = async (name, file) => new Logger('rotating', name, file);
exports.createAsyncRotatingLogger = exports.createRotatingLogger;
