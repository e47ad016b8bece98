// The MCP server for agents that VS Code runs and gives its servers to; its own chat has the tools without it. The API is
// younger than the oldest VS Code that we run in, so what of it is used is described here.
import path from 'node:path';
import * as vscode from 'vscode';
import { hookBinDir } from '../../agents/hookProgram';
import { version } from '../../../package.json';
import { mcpProviderId, ownSetting, setting } from '../contributions';
import { messageOf } from '../log';
import type { Services } from '../services';
import { refreshProgram } from '../setUp/command';

/** As `vscode.McpStdioServerDefinition` of VS Code 1.101. */
interface StdioDefinition {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
}

interface NewerApi {
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    version: string,
  ) => StdioDefinition;
}

interface NewerLm {
  registerMcpServerDefinitionProvider?(
    id: string,
    provider: {
      readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
      provideMcpServerDefinitions(): StdioDefinition[];
      resolveMcpServerDefinition(definition: StdioDefinition): StdioDefinition;
    },
  ): vscode.Disposable;
}

export function mcpServers(services: Pick<Services, 'ports' | 'roots' | 'extensionPath' | 'log'>): vscode.Disposable {
  const lm: NewerLm = vscode.lm as NewerLm;
  if (lm.registerMcpServerDefinitionProvider === undefined) return new vscode.Disposable(() => {});
  const changed = new vscode.EventEmitter<void>();
  const { workspace } = vscode;
  const provider = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => definitions(services),
    resolveMcpServerDefinition(definition: StdioDefinition) {
      // What the definition names is there, and of this version, before it is started.
      refreshProgram(services);
      return definition;
    },
  };
  let registered: vscode.Disposable;
  try {
    registered = lm.registerMcpServerDefinitionProvider(mcpProviderId, provider);
  } catch (error) {
    // 1.100 has the function already, as a proposal that asks for another entry in package.json.
    services.log.info('mcp', `This VS Code takes no MCP servers: ${messageOf(error)}`);
    return changed;
  }
  return vscode.Disposable.from(
    changed,
    registered,
    services.roots.onDidChange(() => changed.fire()),
    workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    workspace.onDidChangeConfiguration((event) => {
      const ids = ['agentCheckpoints.enabled', 'agentCheckpoints.mcp.enabled'];
      if (ids.some((id) => event.affectsConfiguration(id))) changed.fire();
    }),
  );
}

/** One for each open folder; none while capture is off, or where the person does not trust the folder. */
export function definitions({ ports, roots }: Pick<Services, 'ports' | 'roots'>): StdioDefinition[] {
  const { McpStdioServerDefinition: Definition } = vscode as NewerApi;
  const { workspace } = vscode;
  const isOn = ownSetting(workspace, 'agentCheckpoints.enabled') === true;
  if (Definition === undefined || !isOn || !setting(workspace, 'agentCheckpoints.mcp.enabled')) return [];
  if (!workspace.isTrusted) return [];
  const own = roots.all.filter(({ prefix }) => prefix === '');
  const isElectron = 'electron' in process.versions;
  const env = { AGENT_CHECKPOINTS_HOME: ports.stateDir, ...(isElectron && { ELECTRON_RUN_AS_NODE: '1' }) };
  const program = path.join(hookBinDir(ports.stateDir), 'hook.js');
  return own.map((root) => {
    const label = own.length === 1 ? 'Agent Checkpoints' : `Agent Checkpoints: ${root.name}`;
    return new Definition(label, process.execPath, [program, 'mcp', '--root', root.path], env, version);
  });
}
