import path from 'node:path';
import { homeFolder, resolvePath } from '../../config/paths.ts';

export type Scope = 'user' | 'project';

/** Where a client looks for the servers that it starts. */
export interface Place {
	/** Absolute path of its configuration file. */
	file: string;
	/** What stands for the open project's folder in this file, when the client would start servers elsewhere. */
	projectVariable?: string;
}

/** An MCP client whose configuration can be written. */
export interface Client {
	name: string;
	/** As its makers call it. */
	title: string;
	/** The page that describes the format, as it was when the format was last checked against it. */
	documentation: string;
	format: Format;
	/** The places that the client reads, by scope; the first is the one that is meant when none is named. */
	places: { readonly [scope in Scope]?: (project: string, own: NodeJS.ProcessEnv) => Place };
	/** What to do when the file is written. */
	next: string;
}

/** How an entry is written. */
export interface Format {
	language: 'json' | 'toml';
	/** The key that holds all servers by their names. */
	servers: string;
	/** The key of the object in which that one is, when it is not the whole file. */
	within?: string;
	/** The program and its arguments are one list, as `command`. */
	oneList?: true;
	/** The client's own reader accepts a comma after the last member. */
	trailingCommas?: true;
	/** What a new entry has beside the command. */
	beside?: { readonly [key: string]: string | number };
}

const json: Format = { language: 'json', servers: 'mcpServers' };
// biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it
const workspaceFolder = '${workspaceFolder}';
const inHome = (...parts: string[]) => path.join(homeFolder(), ...parts);

/** The clients, in the order in which they are shown. */
export const clients: readonly Client[] = [
	{
		name: 'claude',
		title: 'Claude Code',
		documentation: 'https://code.claude.com/docs/en/mcp',
		format: { ...json, beside: { type: 'stdio' } },
		places: {
			user: (_, { CLAUDE_CONFIG_DIR }) => ({
				file: path.join(CLAUDE_CONFIG_DIR ? path.resolve(CLAUDE_CONFIG_DIR) : homeFolder(), '.claude.json'),
			}),
			project: (project) => ({ file: path.join(project, '.mcp.json') }),
		},
		next: 'Start Claude Code anew; /mcp there shows the server.',
	},
	{
		name: 'claude-desktop',
		title: 'Claude Desktop',
		documentation: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
		format: json,
		places: { user: (_, own) => ({ file: path.join(applicationData(own), 'Claude', 'claude_desktop_config.json') }) },
		next: 'Quit Claude Desktop and start it again.',
	},
	{
		name: 'codex',
		title: 'Codex',
		documentation: 'https://developers.openai.com/codex/mcp',
		// Codex gives a server 10 seconds to start, and npx may have to download it first.
		format: { language: 'toml', servers: 'mcp_servers', beside: { startup_timeout_sec: 60 } },
		places: {
			user: (_, own) => ({ file: path.join(resolvePath(own.CODEX_HOME || '~/.codex', process.cwd()), 'config.toml') }),
			project: (project) => ({ file: path.join(project, '.codex', 'config.toml') }),
		},
		next: 'Start Codex anew; /mcp there shows the server.',
	},
	{
		name: 'cursor',
		title: 'Cursor',
		documentation: 'https://cursor.com/docs/context/mcp',
		format: { ...json, trailingCommas: true },
		places: {
			user: () => ({ file: inHome('.cursor', 'mcp.json') }),
			project: (project) => ({ file: path.join(project, '.cursor', 'mcp.json'), projectVariable: workspaceFolder }),
		},
		next: 'Cursor shows the server in its settings, under MCP.',
	},
	{
		name: 'vscode',
		title: 'VS Code',
		documentation: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
		format: { language: 'json', servers: 'servers', trailingCommas: true, beside: { type: 'stdio' } },
		places: {
			user: (_, own) => ({ file: path.join(applicationData(own), 'Code', 'User', 'mcp.json') }),
			project: (project) => ({ file: path.join(project, '.vscode', 'mcp.json'), projectVariable: workspaceFolder }),
		},
		next: 'In VS Code, MCP: List Servers shows the server and starts it.',
	},
	{
		name: 'windsurf',
		title: 'Windsurf',
		documentation: 'https://docs.windsurf.com/windsurf/cascade/mcp',
		format: json,
		places: { user: () => ({ file: inHome('.codeium', 'windsurf', 'mcp_config.json') }) },
		next: 'Refresh the list of MCP servers in Windsurf, or start it anew.',
	},
	{
		name: 'gemini',
		title: 'Gemini CLI',
		documentation: 'https://geminicli.com/docs/tools/mcp-server',
		format: json,
		places: {
			user: () => ({ file: inHome('.gemini', 'settings.json') }),
			project: (project) => ({ file: path.join(project, '.gemini', 'settings.json') }),
		},
		next: 'Start Gemini CLI anew; /mcp there shows the server.',
	},
	{
		name: 'copilot',
		title: 'GitHub Copilot CLI',
		documentation: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
		format: { ...json, trailingCommas: true, beside: { type: 'stdio' } },
		places: {
			user: (_, { COPILOT_HOME }) => ({
				file: path.join(COPILOT_HOME ? path.resolve(COPILOT_HOME) : inHome('.copilot'), 'mcp-config.json'),
			}),
			project: (project) => ({ file: path.join(project, '.github', 'mcp.json') }),
		},
		next: 'Start Copilot anew; /mcp show there shows the server.',
	},
	{
		name: 'opencode',
		title: 'OpenCode',
		documentation: 'https://opencode.ai/v2/docs/mcp-servers/',
		format: { language: 'json', within: 'mcp', servers: 'servers', oneList: true, trailingCommas: true, beside: { type: 'local' } },
		places: {
			user: (_, own) => ({ file: path.join(own.XDG_CONFIG_HOME || inHome('.config'), 'opencode', 'opencode.json') }),
			project: (project) => ({ file: path.join(project, 'opencode.json') }),
		},
		next: 'Start OpenCode anew; opencode mcp list shows the server.',
	},
	{
		name: 'qwen',
		title: 'Qwen Code',
		documentation: 'https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/',
		format: { ...json, trailingCommas: true },
		places: { user: () => ({ file: inHome('.qwen', 'settings.json') }) },
		next: 'Start Qwen Code anew; /mcp there shows the server.',
	},
	{
		name: 'zed',
		title: 'Zed',
		documentation: 'https://zed.dev/docs/ai/mcp',
		format: { language: 'json', servers: 'context_servers', trailingCommas: true },
		places: { user: (_, own) => ({ file: path.join(own.XDG_CONFIG_HOME || inHome('.config'), 'zed', 'settings.json') }) },
		next: 'Zed shows the server in the settings of its agent panel.',
	},
];

/** Where programs with windows keep what is theirs. */
function applicationData({ APPDATA, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
	if (process.platform === 'darwin') return inHome('Library', 'Application Support');
	if (process.platform === 'win32') return APPDATA || inHome('AppData', 'Roaming');
	return XDG_CONFIG_HOME || inHome('.config');
}
