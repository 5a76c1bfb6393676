// The floor for a cell that another process answers: the echo server whose tool first asks a bare Python, over a pipe each way.
import { spawn } from 'node:child_process';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const loop = 'import os\nwhile piece := os.read(0, 65536): exec(piece.decode()); os.write(1, b"done\\n")';
const child = spawn(process.argv[2], ['-c', loop], { stdio: ['pipe', 'pipe', 'inherit'] });
let answered = () => {};
child.stdout.on('data', () => answered());

const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'send', inputSchema: { type: 'object' } }] }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
	const answer = new Promise((resolve) => {
		answered = resolve;
	});
	child.stdin.write(params.arguments.python);
	await answer;
	return { content: [{ type: 'text', text: '[done]' }] };
});
await server.connect(new StdioServerTransport());
