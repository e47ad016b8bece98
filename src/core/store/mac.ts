// The keyed hash of a record: this person's own records are told from those that came with a clone.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../ports';
import { readKey } from '../state/key';
import type { Meta } from './meta';

/** Base64url; `''` without a key. The fields' order is the schema's, which reading and writing both go through. */
export function macOf(meta: Meta | Omit<Meta, 'mac'>, key: Uint8Array | undefined): string {
  if (key === undefined) return '';
  return createHmac('sha256', key)
    .update(JSON.stringify({ ...meta, mac: undefined }))
    .digest('base64url');
}

/** True where the record was not written with this person's key, also where the key is out of reach. */
export function isForeign(ports: Ports, meta: Meta, key = readKey(ports, { create: false })): boolean {
  const expected = Buffer.from(macOf(meta, key));
  const found = Buffer.from(meta.mac);
  return expected.length === 0 || expected.length !== found.length || !timingSafeEqual(expected, found);
}

/** Whether the record may be changed in this person's name. */
export function isOwn(ports: Ports, meta: Meta): boolean {
  const key = readKey(ports, { create: false });
  // Without the key nothing can be signed, so nothing can be passed off either.
  return key === undefined ? meta.mac === '' : !isForeign(ports, meta, key);
}
