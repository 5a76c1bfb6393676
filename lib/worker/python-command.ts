import path from 'node:path';

/** Runs the text of start.py and leaves no name behind in `__main__`. Old Pythons can read it too: start.py tells them apart. */
const bootstrap = `exec("with open(file) as source:\\n    code = compile(source.read(), file, 'exec')\\nexec(code)", {"__name__": "_console_start", "file": __import__("sys").argv[1]})`;

/**
 * How to start the Python runtime.
 * @param interpreter path or name of the Python to use, as it should be executed
 * @param runtimeFolder absolute path of the folder that holds start.py
 * @returns the program and its arguments. UTF-8 mode makes the locale irrelevant; `-u` leaves C's stdout without a buffer, so that
 * what C code prints keeps its place among the other output, and C's stdin too, so that C code reads no further than it needs.
 */
export function pythonCommand(interpreter: string, runtimeFolder: string): string[] {
	return [interpreter, '-X', 'utf8', '-u', '-c', bootstrap, path.join(runtimeFolder, 'start.py')];
}
