// SPDX-License-Identifier: Apache-2.0
// Gets the page's data: gzip parts as base64 in the page itself, or as files of the server that sent it.
import { LoadError } from './interface.ts';

type Base64Decoder = { fromBase64?: (text: string) => Uint8Array };

function decodeBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as Base64Decoder).fromBase64;
  if (native !== undefined) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function fetchPart(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    throw new LoadError(
      'Cannot fetch the profile: wick has ended. Start `wick view` again, or write a standalone file with -o page.html.',
    );
  }
  if (!response.ok)
    throw new LoadError(
      `Cannot fetch the profile: wick answered ${response.status}. Open the address that wick printed.`,
    );
  return new Uint8Array(await response.arrayBuffer());
}

export async function fetchParts(page: Document): Promise<Uint8Array[]> {
  const elements = [...page.querySelectorAll<HTMLScriptElement>('script.wick-part')];
  return Promise.all(
    elements.map((element) => {
      const url = element.dataset['src'];
      if (url !== undefined) return fetchPart(url);
      try {
        const bytes = decodeBase64(element.text);
        element.remove(); // the text takes as much memory as the data
        return bytes;
      } catch {
        throw new LoadError('The data in this page is damaged. Write the page again: wick view FILE -o page.html');
      }
    }),
  );
}
