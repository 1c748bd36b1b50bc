import { expect, it } from '@jest/globals';
import { InputReader, OPERATIONS, kindOf } from '#libs/contracts';

/** Downloads lack the parameter `format`, because they have the format of their file. */
const rows = OPERATIONS.filter((row) => 'format' in row.parameters && kindOf(row) === 'answer');

it.each(rows.map((row) => [row.name, row] as const))(
  '%s accepts format=json in any case, and explains why XML is rejected',
  (_name, row) => {
    const faultsOf = (format: string) => {
      const { parameters } = row.examples[0];
      const asked = Object.entries({ ...parameters, format });
      const { faults } = new InputReader(row).read(
        asked.map(([name]) => name),
        asked.map(([, text]) => text),
      );
      return faults;
    };
    for (const format of ['json', 'JSON', 'Json']) expect(faultsOf(format)).toBeUndefined();
    for (const format of ['xml', 'XML']) {
      expect(faultsOf(format)).toEqual([
        { field: 'format', message: 'must be json; XML is not supported' },
      ]);
    }
    expect(faultsOf('csv')).toEqual([{ field: 'format', message: 'must be json' }]);
  },
);
