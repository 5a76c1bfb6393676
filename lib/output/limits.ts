/** Most UTF-8 bytes of text in one reply: notices, markers and messages included. */
export const textLimit = 8 * 1024;

/** Most bytes of pictures in one reply, counted as the base64 text they are sent as. */
export const pictureLimit = 8 * 1024 * 1024;

/** Most pictures in one reply. */
export const pictureCountLimit = 4096;

/** Most bytes that the MIME types of one reply's pictures may have together: they are text that a worker chooses. */
export const mimeLimit = 64 * 1024;
