import { Injectable } from '@nestjs/common';
import { FeedCursorsRepository } from './feed-cursors.repository.js';

@Injectable()
export class FeedCursorsService extends FeedCursorsRepository {}
