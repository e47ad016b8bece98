// What the plugins of all agents that load code of ours begin with: how they call the stable program. Such an agent
// waits for no process of its own accord and has no time limit; and what is thrown in a plugin counts as a "no".
import { ownHead, programName } from './hookCommand';
import type { AgentName } from './agent';
import type { Scope } from './installer';

/**
 * JavaScript for Node and Bun, ES module. It declares `call(payload)`, which resolves to the text for the agent, usually
 * empty, and `tool(name)`, which is the name to report, or undefined for a tool that does not write. Neither throws.
 */
export function pluginHead(scope: Scope, binDir: string, agent: AgentName): string {
  return `${ownHead('//')}
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const windows = process.platform === "win32";
const home = homedir();
const folders = ${scope === 'user' ? JSON.stringify([binDir]) : projectFolders};
const name = ${JSON.stringify(programName)} + (windows ? ".cmd" : "");
const longest = 30000;

function call(payload) {
  return new Promise((resolve) => {
    try {
      const program = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
      if (program === undefined) return resolve("");
      const [file, args] = windows ? ["cmd.exe", ["/d", "/c", program, "${agent}"]] : [program, ["${agent}"]];
      const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
      const timer = setTimeout(() => child.kill("SIGKILL"), longest);
      let output = "";
      const done = () => {
        clearTimeout(timer);
        resolve(textIn(output));
      };
      child.on("error", done);
      child.on("close", done);
      child.stdin.on("error", () => {});
      child.stdout.on("data", (chunk) => (output.length < 100000 ? (output += chunk) : undefined));
      child.stdin.end(JSON.stringify(payload));
    } catch {
      resolve("");
    }
  });
}

function textIn(output) {
  try {
    const text = JSON.parse(output).hookSpecificOutput.additionalContext;
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

const own = new Set(["write", "edit", "multiedit", "patch", "apply_patch", "bash", "shell"]);
const ofFileServers = /(?:^|[_-])(write_file|edit_file|move_file|create_directory)$/;
const tool = (called) => (own.has(called) ? called : ofFileServers.exec(called)?.[1]);
`;
}

/** Where a person's user state may be: nothing in a project names one person's folders. */
const projectFolders = `[
  process.env.AGENT_CHECKPOINTS_HOME,
  process.env.XDG_DATA_HOME && join(process.env.XDG_DATA_HOME, "agent-checkpoints"),
  join(home, ".local", "share", "agent-checkpoints"),
  join(home, "Library", "Application Support", "agent-checkpoints"),
  process.env.LOCALAPPDATA && join(process.env.LOCALAPPDATA, "agent-checkpoints", "Data"),
].flatMap((folder) => (folder ? [join(folder, "bin")] : []))`;
