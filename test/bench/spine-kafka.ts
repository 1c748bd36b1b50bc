import type { BenchRow } from './bench.js';
import type { FigureOptions } from './spine.bench.js';
export async function measure(_: FigureOptions): Promise<BenchRow[]> { return []; }
