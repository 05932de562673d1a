/** Frames of text messages as a server sends them without compression: whole and not masked (RFC 6455, 5.2). */

/** First byte: the only frame of a text message. */
const TEXT = '\x81';
/** Second byte: the length follows in two bytes. */
const TWO_BYTES = '\x7e';
const MAX_ONE_BYTE = 125;
/** Maximum characters of a frame that is made as a text. Node writes texts of up to 16 KB from the stack, without a buffer. */
const MAX_CHARACTERS = 16 * 1024;
const MAX_HEADER = 4;

/** Headers of short messages by their length. */
const headers = Array.from({ length: MAX_ONE_BYTE + 1 }, (_, length) => TEXT + String.fromCharCode(length));

/** The frame of a message that is ASCII, as Latin-1; null for other and for long messages. */
export function asciiFrame(text: string): string | null {
  const { length } = text;
  if (length > MAX_CHARACTERS - MAX_HEADER || Buffer.byteLength(text) !== length) return null;
  return (
    (length <= MAX_ONE_BYTE ? headers[length] : TEXT + TWO_BYTES + String.fromCharCode(length >> 8, length & 255)) +
    text
  );
}
