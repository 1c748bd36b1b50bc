import { encode } from 'uqr';
import { type Markup, html } from '#libs/public-http';

/** The width of the white border around the code, which scanners need (ISO/IEC 18004, quiet zone). */
const BORDER = 4;

/** Returns a text as a QR code. @param label a description for people who cannot see the code. */
export function qrCode(text: string, label: string): Markup {
  const { size, data } = encode(text, { border: BORDER, ecc: 'M' });
  const runs = data.flatMap((row, y) =>
    darkRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}">
    <rect width="${size}" height="${size}" />
    <path d="${runs.join('')}" />
  </svg>`;
}

/** Returns the dark runs of a row, each with its first module and its number of modules. */
function darkRuns(row: readonly boolean[]): [x: number, width: number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (isDark && last && last[0] + last[1] === x) last[1]++;
    else if (isDark) runs.push([x, 1]);
  }
  return runs;
}
