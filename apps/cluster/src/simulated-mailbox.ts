/** An e-mail as the simulators return it. */
export interface Mail {
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** The e-mails that the simulators have received. */
export class SimulatedMailbox {
  constructor(private readonly simulatorsUrl: string) {}

  /** Lists the e-mails, newest first. */
  async newest(limit: number): Promise<Mail[]> {
    const response = await fetch(`${this.simulatorsUrl}/mails?limit=${limit}`);
    return (await response.json()) as Mail[];
  }
}
