const PARTITIONS = 16;

/** Returns SQL that creates the partitions of a table that is partitioned by hash. */
export function hashPartitions(table: string): string {
  const statements = Array.from(
    { length: PARTITIONS },
    (_, remainder) =>
      `create table ${table}_${String(remainder).padStart(2, '0')} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${remainder});`,
  );
  return statements.join('\n');
}
