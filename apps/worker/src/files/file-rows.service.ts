import { Injectable } from '@nestjs/common';
import { FilesRepository } from './files.repository.js';

/** Gives the feature that builds files access to their rows. */
@Injectable()
export class FileRowsService extends FilesRepository {}
