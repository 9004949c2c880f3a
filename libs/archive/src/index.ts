export { ArchiveFolder, FileArchive } from './archive-folder.js';
export { ArchiveDamaged, type ArchivedLine, readArchive } from './read-archive.js';
export { packTar, TarDamaged, unpackTar } from './tar.js';
