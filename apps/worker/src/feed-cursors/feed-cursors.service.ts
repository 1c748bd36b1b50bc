import { Injectable } from '@nestjs/common';
import { FeedCursorsRepository } from './feed-cursors.repository.js';

/** The positions of the readers of the corpus's changes. */
@Injectable()
export class FeedCursorsService extends FeedCursorsRepository {}
