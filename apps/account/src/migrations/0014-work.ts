import type { Migration } from '#libs/database';
import { workTable } from '#libs/work';

export const work: Migration = { name: '0014-work', sql: workTable };
