// `npm test`: does all the set-up, runs every kind of test, and ends with one line of counts.
// Usage: node test/run.mjs [stage …]     stages: unit, agents, host, ui, agent-mode (default: these); agents-all
import { spawn } from 'node:child_process';
import path from 'node:path';
import { checkout, prepare } from './setup/prepare.mjs';
import { say, SetupError } from './setup/step.mjs';

const hosts = ['1.139.1', '1.100.3'];
const wanted = new Set(process.argv.slice(2).filter((name) => !name.startsWith('-')));
const isWanted = (stage) => wanted.size === 0 || wanted.has(stage);
const results = [];

/** Runs a command, shows its output, and takes the counts from mocha's summary in it. */
function stage(name, command, args, env = {}) {
  say(`${name}…`);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: checkout,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('close', (code) => {
      const count = (word) => Number(output.match(new RegExp(`(\\d+) ${word}\\b`))?.[1] ?? 0);
      const passed = count('passing');
      let failed = count('failing');
      // A run that ended badly, or that ran nothing, is a failure also where no single test failed.
      if (failed === 0 && (code !== 0 || passed === 0)) failed = 1;
      results.push({ name, passed, failed });
      resolve();
    });
  });
}

const mocha = path.join(checkout, 'node_modules/mocha/bin/mocha.js');
/** Runs these files alone: what `package.json` names for mocha would run along. */
const mochaStage = (name, spec, env) =>
  stage(name, process.execPath, [mocha, '--no-package', '--forbid-only', '--timeout', '180000', '--spec', spec], env);

async function hostStages() {
  const { setUpHost } = await import('./hosts/setup.mjs');
  for (const host of hosts) await setUpHost(host);
  for (const host of hosts) {
    const env = { AGENT_CHECKPOINTS_HOST: host };
    if (isWanted('host'))
      await stage(`Extension tests, VS Code ${host}`, process.execPath, ['test/host/launch.mjs'], env);
    if (isWanted('ui')) await mochaStage(`Workbench tests, VS Code ${host}`, 'test/ui/[ac]*.test.mjs', env);
  }
  if (isWanted('agent-mode')) {
    const env = { AGENT_CHECKPOINTS_HOST: hosts[0] };
    await mochaStage(`VS Code's own agent mode, ${hosts[0]}`, 'test/agent-mode/agentMode.test.mjs', env);
  }
}

function summary() {
  for (const { name, passed, failed } of results) process.stdout.write(`${name}: ${passed} passed, ${failed} failed\n`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 && sum('passed') > 0;
}

try {
  await prepare({ tests: true });
  if (isWanted('unit')) {
    await stage('Unit, property and fault tests', process.execPath, [mocha]);
  }
  if (isWanted('agents') || wanted.has('agents-all')) {
    // One of each family: hooks in settings, hooks that have to be approved. The others take minutes.
    const env = wanted.has('agents-all') ? {} : { AGENTS: 'claude-code,codex' };
    await mochaStage('Real programs of agents', 'out/test/agents/*.test.js', env);
  }
  if (['host', 'ui', 'agent-mode'].some(isWanted)) await hostStages();
} catch (error) {
  process.stdout.write(`${error instanceof SetupError ? error.message : error.stack}\n`);
  results.push({ name: 'Set-up', passed: 0, failed: 1 });
}
process.exitCode = summary() ? 0 : 1;
