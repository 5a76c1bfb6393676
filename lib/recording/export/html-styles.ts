/** The look of an exported page: light and dark, wide and narrow, without anything from elsewhere. */
export const styles = `
:root {
	color-scheme: light dark;
	--page: #fbfaf8; --text: #1d2126; --faint: #626a73; --line: #dcd9d3; --code: #f2efe9; --shade: #00000026; --source: #2f6fb0; --reply: #6b7f3a; --error: #b3362b; --input: #9a6a12;
	--comment: #6a737d; --string: #22713f; --number: #8a4600; --keyword: #7b2d8b;
}
@media (prefers-color-scheme: dark) {
	:root {
		--page: #16191d; --text: #dfe3e8; --faint: #98a1ac; --line: #343a42; --code: #1f242a; --shade: #00000080; --source: #6aa9e6; --reply: #a3b86c; --error: #f0857b; --input: #dcae5a;
		--comment: #929ca8; --string: #86cf9b; --number: #e5b07a; --keyword: #d59be2;
	}
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; }
dl { margin: 0; font-size: 0.875rem; }
dl div { display: grid; grid-template-columns: 5.5rem 1fr; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
article { margin-top: 1.75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h2 { display: flex; flex-wrap: wrap; gap: 0.25rem 0.6rem; align-items: baseline; margin: 0 0 0.6rem; font-size: 1rem; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
h2 time { margin-left: auto; }
time { color: var(--faint); font-size: 0.8125rem; font-weight: normal; }
dd time { color: inherit; font-size: inherit; }
.label { padding: 0 0.5em; border: 1px solid var(--line); border-radius: 1em; color: var(--faint); font-size: 0.75rem; font-weight: normal; overflow-wrap: anywhere; }
.block { margin: 0.5rem 0; border-left: 3px solid var(--reply); border-radius: 0 4px 4px 0; }
.kind { display: block; padding: 0.3rem 0.75rem 0; color: var(--reply); font-size: 0.6875rem; letter-spacing: 0.04em; }
pre { margin: 0; padding: 0.3rem 0.75rem 0.6rem; max-height: 40rem; overflow: auto; font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; tab-size: 4; }
/* Shadows at the edges beyond which there is more to scroll to: covers that move with the text hide them at its own ends. */
pre {
	background:
		linear-gradient(var(--ground) 40%, transparent) local, linear-gradient(transparent, var(--ground) 60%) bottom / 100% 2.5rem no-repeat local,
		linear-gradient(var(--shade), transparent) scroll, linear-gradient(transparent, var(--shade)) bottom / 100% 0.75rem no-repeat scroll;
	background-size: 100% 2.5rem, 100% 2.5rem, 100% 0.75rem, 100% 0.75rem;
	background-repeat: no-repeat;
}
.block { --ground: var(--page); }
.source { --ground: var(--code); border-color: var(--source); background: var(--code); }
.source .kind { color: var(--source); }
.error { border-color: var(--error); }
.error pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.error .kind { color: var(--error); }
.input, .rest { border-color: var(--input); }
.input .kind, .rest .kind { color: var(--input); }
.comment { color: var(--comment); font-style: italic; }
.string { color: var(--string); }
.number { color: var(--number); }
.keyword { color: var(--keyword); }
.note { margin: 0.75rem 0; color: var(--faint); font-size: 0.8125rem; overflow-wrap: anywhere; }
figure { margin: 0.75rem 0; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; background: #fff; }
figcaption { margin-top: 0.25rem; color: var(--faint); font-size: 0.75rem; }
@media print { pre { max-height: none; background: none; white-space: pre-wrap; } article { break-inside: avoid-page; } }
`;
