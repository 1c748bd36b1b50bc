import { Injectable } from '@nestjs/common';
import { FeedCursorsRepository } from './feed-cursors.repository.js';

/** The positions in the corpus of its readers. */
@Injectable()
export class FeedCursorsService extends FeedCursorsRepository {}
