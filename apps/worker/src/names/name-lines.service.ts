import { Injectable } from '@nestjs/common';
import { NameLinesRepository } from './name-lines.repository.js';

/** Names as they were given, for those who cut them. */
@Injectable()
export class NameLinesService extends NameLinesRepository {}
