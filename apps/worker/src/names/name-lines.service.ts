import { Injectable } from '@nestjs/common';
import { NameLinesRepository } from './name-lines.repository.js';

/** Gives the feature that splits jobs access to the names as given. */
@Injectable()
export class NameLinesService extends NameLinesRepository {}
