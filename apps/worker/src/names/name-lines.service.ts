import { Injectable } from '@nestjs/common';
import { NameLinesRepository } from './name-lines.repository.js';

/** Names as given, for the code that splits them. */
@Injectable()
export class NameLinesService extends NameLinesRepository {}
