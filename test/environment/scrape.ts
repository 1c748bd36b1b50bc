/** The samples of one scrape, by name and labels exactly as written. */
export type Scrape = ReadonlyMap<string, number>;

/** Reads a service's metrics. @throws Error if there is no answer, or if its status is not 200. */
export async function scrape(internalUrl: string): Promise<Scrape> {
  const answer = await fetch(`${internalUrl}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  const lines = (await answer.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))] as const;
    }),
  );
}
