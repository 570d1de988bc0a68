/** A backup target on WebDAV. */
export {}
