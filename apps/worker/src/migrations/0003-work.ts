import type { Migration } from '#libs/database';
import { workTable } from '#libs/work';

export const work: Migration = { name: '0003-work', sql: workTable };
