// What the demo does, call by call.

/** One call. */
export interface Step {
	/** What the step shows; a step without one belongs to the one before. */
	title?: string;
	/** The arguments of `send`. */
	args: Record<string, unknown>;
	/** What the reply's text is like. */
	expect: RegExp;
	/** The step is followed by empty calls until the cell is over; this is what the last reply's text is like. */
	poll?: RegExp;
	/** The reply has one picture, to be saved under this name. */
	saveImage?: string;
	/** A module without which the step is left out. */
	needs?: string;
}

const running = /\[running; poll with an empty send\]$/;

export const steps: readonly Step[] = [
	{
		title: 'A cell: read the measurements',
		args: {
			python: `import csv, statistics
with open('penguins.csv') as file:
    penguins = [row for row in csv.DictReader(file) if row['body_mass_g'] != 'NA']
len(penguins)`,
		},
		expect: /^342\n$/,
	},
	{
		title: 'State lives on: the next cell uses what the first one made',
		args: {
			python: `mass = {}
for row in penguins:
    mass.setdefault(row['species'], []).append(int(row['body_mass_g']))
for species, grams in sorted(mass.items()):
    print(f'{species:<10}{len(grams):>4} penguins, {statistics.mean(grams):7.1f} g on average')`,
		},
		expect:
			/^Adelie +151 penguins, +3700\.7 g on average\nChinstrap +68 penguins, +3733\.1 g on average\nGentoo +123 penguins, +5076\.0 g on average\n$/,
	},
	{
		title: 'A long cell: the call comes back, the cell goes on, and empty calls collect the rest',
		args: {
			python: `import random
random.seed(2009)
def mean_of_resample(values):
    return sum(random.choices(values, k=len(values))) / len(values)
differences = []
for i in range(80_000):
    differences.append(mean_of_resample(mass['Gentoo']) - mean_of_resample(mass['Adelie']))
    if i % 500 == 0:
        print(f'\\rresampling: {i / 800:.0f} %', end='')
differences.sort()
print(f'\\rGentoo are heavier than Adelie by {differences[2000]:.0f} to {differences[-2000]:.0f} g (95 %)')`,
			timeout_ms: 400,
		},
		expect: running,
		poll: /Gentoo are heavier than Adelie by 1\d\d\d to 1\d\d\d g \(95 %\)\n$/,
	},
	{
		title: 'A cell that asks: input() says so at once',
		args: {
			python: `island = input('Which island? ')
for species in sorted(mass):
    print(species, sum(row['island'] == island and row['species'] == species for row in penguins))`,
		},
		expect: /^Which island\? \n\[waiting for stdin\]$/,
	},
	{ args: { stdin: 'Dream\n' }, expect: /^Adelie 56\nChinstrap 68\nGentoo 0\n$/ },
	{
		title: 'A cell that never ends: interrupt it',
		args: { python: `heaviest = max(penguins, key=lambda row: int(row['body_mass_g']))\nwhile True:\n    pass`, timeout_ms: 300 },
		expect: running,
	},
	{ args: { control: 'interrupt' }, expect: /^Traceback[\s\S]*KeyboardInterrupt\n$/ },
	{ args: { python: `heaviest['species'], heaviest['body_mass_g']` }, expect: /^\('Gentoo', '6300'\)\n$/ },
	{
		title: 'An error: the traceback shows the lines of the cell, and nothing is lost',
		args: {
			python: `def ratio(row):
    return float(row['bill_length_mm']) / float(row['wingspan_mm'])

sum(ratio(row) for row in penguins) / len(penguins)`,
		},
		expect: /^Traceback[\s\S]*return float[\s\S]*KeyError: 'wingspan_mm'\n$/,
	},
	{ args: { python: 'len(penguins)' }, expect: /^342\n$/ },
	{
		title: 'A plot comes back as a picture',
		needs: 'matplotlib',
		args: {
			python: `import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(7, 4.5))
for species in sorted(mass):
    rows = [row for row in penguins if row['species'] == species]
    axes.scatter([int(row['flipper_length_mm']) for row in rows], [int(row['body_mass_g']) for row in rows], s=12, label=species)
axes.set(xlabel='flipper length (mm)', ylabel='body mass (g)', title='Penguins of the Palmer Archipelago')
_ = axes.legend()`,
			timeout_ms: 60_000,
		},
		expect: /^$/,
		saveImage: 'penguins.png',
	},
	{
		title: 'A restart: a fresh worker, and a cell for it in the same call',
		args: { control: 'restart', python: `'penguins' in globals()` },
		expect: /\[worker stopped: in-memory state lost\]\n\[starting new worker\]\nFalse\n\[done\]$/,
	},
];
