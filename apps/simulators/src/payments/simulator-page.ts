import { escapeHtml } from '#libs/platform';

/** A button on a page; pressing it sends a POST to the path `action`. */
export interface PageButton {
  action: string;
  label: string;
}

export interface SimulatorPage {
  title: string;
  lines: string[];
  buttons: PageButton[];
}

export type PageAnswer = { page: SimulatorPage } | { redirectTo: string };

/** Renders a page of a simulated processor, without scripts or inputs for card data, and marked as a simulation. */
export function simulatorPage({ title, lines, buttons }: SimulatorPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} (simulator)</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 30rem; margin: 0 auto; padding: 1rem; }
[role=note] { border: 2px solid; padding: 0.5rem 1rem; }
button { font: inherit; padding: 0.5rem 1rem; width: 100%; margin: 0.25rem 0; }
</style>
</head>
<body>
<main>
<p role="note"><strong>Payment simulator.</strong> This page stands in for a payment processor. No money moves, and you need no card.</p>
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
${buttons.map(buttonForm).join('\n')}
</main>
</body>
</html>
`;
}

const buttonForm = ({ action, label }: PageButton) =>
  `<form method="post" action="${escapeHtml(action)}"><button>${escapeHtml(label)}</button></form>`;

/** Formats an amount in cents for people: `$19.00`. */
export function amountText(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100);
}
