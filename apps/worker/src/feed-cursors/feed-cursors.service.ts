import { Injectable } from '@nestjs/common';
import { FeedCursorsRepository } from './feed-cursors.repository.js';

/** How far the corpus was read, for those who read it. */
@Injectable()
export class FeedCursorsService extends FeedCursorsRepository {}
