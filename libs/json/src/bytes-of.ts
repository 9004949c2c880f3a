/** The body of an answer. Rejects where it has more bytes than may be. */
export async function bytesOf({ body }: Response, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > max) throw new Error(`the answer has more than ${max} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
