export { FileArchive, type FileArchiveOptions } from './file-archive.js';
export { ArchiveFolder, type ArchiveLine } from './archive-folder.js';
export { ArchiveDamaged, type ArchivedLine, readArchive } from './read-archive.js';
