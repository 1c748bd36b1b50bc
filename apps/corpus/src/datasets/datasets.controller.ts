import { Readable } from 'node:stream';
import { Body, Controller, HttpCode, Post, StreamableFile } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { DatasetRequest, FreshestRequest } from './datasets.dto.js';
import { DatasetsService } from './datasets.service.js';
import { FreshestService } from './freshest.service.js';

/**
 * Serves the rows of the worker's files and the freshest answers as JSON lines; the last line confirms that nothing is
 * missing.
 */
@Controller('internal')
@AllowCallers('worker')
export class DatasetsController {
  constructor(
    private readonly datasets: DatasetsService,
    private readonly freshest: FreshestService,
  ) {}

  @Post('datasets')
  @HttpCode(200)
  async rows(@Body() request: DatasetRequest): Promise<StreamableFile> {
    return linesOf(await this.datasets.open(request));
  }

  @Post('freshest-answers')
  @HttpCode(200)
  answers(@Body() request: FreshestRequest): StreamableFile {
    return linesOf(this.freshest.answers(request));
  }
}

/**
 * Returns parts as a stream of JSON lines. The next part is read only after the previous one has
 * been sent.
 */
function linesOf(parts: AsyncGenerator<readonly object[]>): StreamableFile {
  const stream = Readable.from(textOf(parts), { objectMode: false });
  return new StreamableFile(stream, { type: 'application/x-ndjson' });
}

async function* textOf(parts: AsyncGenerator<readonly object[]>): AsyncGenerator<string> {
  for await (const part of parts) {
    if (part.length > 0) yield part.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}
