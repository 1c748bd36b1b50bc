import { Injectable } from '@nestjs/common';
import { FilesRepository } from './files.repository.js';

/** The rows of files, as the building of files needs them. */
@Injectable()
export class FileRowsService extends FilesRepository {}
