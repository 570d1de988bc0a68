/** Looks of the public pages: the colours of the others, and no more, as nothing else is loaded for them. */
export const style = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f6f8, #0e1115);
  --surface: light-dark(#ffffff, #161a20);
  --line: light-dark(#dfe3ea, #2a313b);
  --field: light-dark(#858e9c, #6f7b8c);
  --text: light-dark(#161b22, #e8ecf2);
  --quiet: light-dark(#56606e, #9aa6b6);
  --accent: light-dark(#2456c8, #8fb2ff);
  --on-accent: light-dark(#ffffff, #0e1624);
  --bad: light-dark(#ad2218, #ff958b);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--text); }
nav, main { max-width: 40rem; margin: 0 auto; }
nav { text-align: end; padding-block-end: 0.75rem; }
main { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1.25rem, 5vw, 2.5rem); }
h1 { margin: 0 0 0.75rem; font-size: 1.6rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1.25rem; text-wrap: pretty; overflow-wrap: anywhere; }
main > :last-child { margin-block-end: 0; }
a { color: var(--accent); }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px;
}
form { display: grid; gap: 1.75rem; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; display: grid; gap: 1.1rem 1rem; align-items: start; }
legend { padding: 0; margin-block-end: 0.75rem; font-weight: 600; font-size: 1.05rem; }
@media (min-width: 34rem) {
  fieldset { grid-template-columns: 1fr 1fr; }
  .wide { grid-column: 1 / -1; }
}
label { display: block; margin-block-end: 0.3rem; font-weight: 500; }
small { display: block; margin-block-start: 0.3rem; color: var(--quiet); font-size: 0.875rem; }
small.bad, .faults { color: var(--bad); }
.mark { color: var(--quiet); font-weight: 400; }
input, select {
  width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--field); border-radius: 8px;
}
[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
button, .button {
  display: inline-block; justify-self: start; min-height: 2.75rem; padding: 0.6rem 1.4rem; font: inherit; font-weight: 600;
  color: var(--on-accent); background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; text-decoration: none;
}
.links { display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; align-items: center; }
.faults { border-inline-start: 4px solid; padding-inline-start: 1rem; margin-block-end: 1.5rem; }
.faults p, .faults ul { margin: 0; }
.faults ul { padding-inline-start: 1.2rem; }
.faults a { color: inherit; }
.trap { position: absolute; inset-inline-start: -100rem; }
@media (max-width: 30rem) { button, .button { width: 100%; text-align: center; } }
`
