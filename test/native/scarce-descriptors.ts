// Opens a generation with one free descriptor, then with two, and so on until it opens. Prints how each failure was named.
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import { native, openDescriptors } from './generation.ts';

const { addon, launcher } = native;
const taken: number[] = [];
try {
	for (;;) taken.push(openSync('/dev/null', 'r'));
} catch (error) {
	if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
}
const failures: string[] = [];
let opened = false;
while (!opened && taken.length > 0) {
	closeSync(taken.pop() as number);
	try {
		addon.openGeneration({ launcher, runtimes: 4 });
		opened = true;
	} catch (error) {
		failures.push((error as NodeJS.ErrnoException).code ?? `${error}`);
		// A number that leaked would be missing here: as many can be opened as before.
		for (let free = failures.length; free > 0; free -= 1) taken.push(openSync('/dev/null', 'r'));
		for (let free = failures.length; free > 0; free -= 1) closeSync(taken.pop() as number);
	}
}
process.stdout.write(JSON.stringify({ failures, opened, descriptors: openDescriptors().size }));
process.exit();
