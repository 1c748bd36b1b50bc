export interface Mail {
  id: string;
  to: string;
  subject: string;
  text: string;
}

export class SimulatedMailbox {
  constructor(private readonly simulatorsUrl: string) {}

  /** Lists the e-mails, newest first. */
  async newest(limit: number): Promise<Mail[]> {
    const response = await fetch(`${this.simulatorsUrl}/mails?limit=${limit}`);
    return (await response.json()) as Mail[];
  }
}
