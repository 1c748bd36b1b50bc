import { Injectable } from '@nestjs/common';
import { FeedCursorsRepository } from './feed-cursors.repository.js';

/** Manages the positions of the readers of the corpus's changes. */
@Injectable()
export class FeedCursorsService extends FeedCursorsRepository {}
