// Folder of this package, with the files that are not code.

/** Two folders above each file of the build, bundled or not. */
export const PACKAGE_FOLDER: URL = new URL('../../', import.meta.url);
