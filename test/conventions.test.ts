// How systems name and place what is looked for. Both kinds are checked on every machine.
import test from 'ava';
import { conventionsOf } from '../lib/conventions.ts';

const windows = conventionsOf('win32');
const linux = conventionsOf('linux');
const macos = conventionsOf('darwin');

test('a command is a file with an ending on Windows, and with its own where it was given one', (t) => {
	t.is(windows.commandFile('python'), 'python.exe');
	t.is(windows.commandFile('python3.12.exe'), 'python3.12.exe');
	t.is(windows.commandFile('python3.12'), 'python3.12.exe');
	t.is(linux.commandFile('python3.12'), 'python3.12');
});

test('the folder of the Store’s stand-ins holds no programs, in whatever case it is written', (t) => {
	t.true(windows.isOfStandIns('C:\\Users\\someone\\AppData\\Local\\Microsoft\\WindowsApps'));
	t.true(windows.isOfStandIns('c:/users/someone/appdata/local/microsoft/windowsapps/'));
	t.false(windows.isOfStandIns('C:\\Python312'));
	t.false(windows.isOfStandIns('C:\\Users\\someone\\Microsoft\\WindowsAppsTools'));
	t.false(linux.isOfStandIns('/opt/Microsoft/WindowsApps'));
});

test('on macOS the Python of the developer tools is passed over, and R is looked for where its installer puts it', (t) => {
	for (const folder of ['/usr/bin', '/usr/bin/']) t.true(macos.isOfStandIns(folder));
	for (const folder of ['/usr/local/bin', '/opt/homebrew/bin']) t.false(macos.isOfStandIns(folder));
	t.false(linux.isOfStandIns('/usr/bin'));
	t.deepEqual(macos.rHomes, ['/Library/Frameworks/R.framework/Resources']);
	t.is(macos.install.r, 'brew install r');
	t.is(macos.commandFile('R'), 'R');
});

test('the names of variables have one spelling where the system knows none', (t) => {
	t.is(windows.variableName('Path'), 'PATH');
	t.is(linux.variableName('Path'), 'Path');
});
