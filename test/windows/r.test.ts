// R cells on Windows: the R host for Windows over a real R for Windows, which is an old one that passes for R 4.2.
import { scenario as anywhere } from '../integration/harness.ts';
import { withR } from './support/windows.ts';

type Body = Parameters<typeof anywhere>[2];

function scenario(title: string, body: Body): void {
	anywhere(title, withR, body);
}

scenario('cells: values are printed, and state is kept', async (t, server) => {
	t.is((await server.send({ r: 'x <- 41; x + 1' })).text, '[1] 42\n');
	t.is((await server.send({ r: 'cat("held"); cat(" together\\n"); x' })).text, 'held together\n[1] 41\n');
});
