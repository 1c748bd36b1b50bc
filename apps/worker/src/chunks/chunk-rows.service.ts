import { Injectable } from '@nestjs/common';
import { ChunksRepository } from './chunks.repository.js';

/** The rows of chunks, for the end of their job. */
@Injectable()
export class ChunkRowsService extends ChunksRepository {}
