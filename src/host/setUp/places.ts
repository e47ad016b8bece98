// Which agents can be set up where, and what is set up already.
import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import type { InstallStatus, Place, Scope } from '../../agents/installer';
import type { Ports } from '../../core/ports';
import { agentRegistry } from '../onDemand';
import type { WorkspaceRoots } from '../workspaceRoots';

export interface SetUpChoice {
  readonly agent: string;
  readonly scope: Scope;
  readonly place: Place;
  /** Set for the project scope. */
  readonly folder?: vscode.WorkspaceFolder;
  readonly status: InstallStatus;
  /** The agent seems to be on this machine. */
  readonly found: boolean;
}

/** The person's own configuration of each agent, then that of each open folder. */
export async function setUpChoices(ports: Ports, roots: WorkspaceRoots): Promise<SetUpChoice[]> {
  const { agentsStatus, installableAgents, status } = agentRegistry();
  const folders = roots.all.filter(({ prefix }) => prefix === '');
  const home = homedir();
  const placeAt = (root: string): Place => ({ root, home, env: process.env });
  const own = placeAt(folders[0]?.path ?? home);
  const found = new Map(agentsStatus(ports, own).map((row) => [row.name as string, row.found]));
  return installableAgents.flatMap((agent): SetUpChoice[] => {
    // Where this runs, VS Code is.
    const base = { agent, found: agent === 'vscode' || (found.get(agent) ?? false) };
    return [
      { ...base, scope: 'user', place: own, status: status(ports, agent, own).user },
      ...folders.map(({ path, folder }): SetUpChoice => {
        const place = placeAt(path);
        return { ...base, scope: 'project', place, folder, status: status(ports, agent, place).project };
      }),
    ];
  });
}

export async function isAnyInstalled(ports: Ports, roots: WorkspaceRoots): Promise<boolean> {
  return (await setUpChoices(ports, roots)).some((choice) => choice.status.installed);
}
