// Parts of a path with `/`, for rows.

/** The last part. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The part before it, without the slash; empty at the root. */
export const folderName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
