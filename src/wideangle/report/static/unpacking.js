// The packed parts of the page: bytes from text, strings of documents and numbers of changing length from bytes.
const FIRST_CODE = 33, DIGITS = 91; // of wideangle.report.packing
const digitOf = new Uint8Array(128);
for (let code = FIRST_CODE, digit = 0; code < 127; code++) if (!"<>&".includes(String.fromCharCode(code))) digitOf[code] = digit++;

const canUnpack = () => typeof DecompressionStream === "function";
const CANNOT_UNPACK = "This browser cannot unpack the texts of the page and search them. Chrome and Edge from version 80, Firefox from 113 and Safari from 16.4 can.";

// Two characters are 13 bits; an odd number of characters says that the last byte is too many.
function bytesOfDigits(text) {
  const pairs = text.length >> 1, bytes = new Uint8Array(Math.floor((13 * pairs) / 8) - (text.length & 1));
  let held = 0, bits = 0, at = 0;
  for (let pair = 0; pair < pairs; pair++) {
    held = (held << 13) | (digitOf[text.charCodeAt(2 * pair)] * DIGITS + digitOf[text.charCodeAt(2 * pair + 1)]);
    bits += 13;
    while (bits >= 8) {
      bits -= 8;
      bytes[at++] = held >> bits; // What does not fit is left out: a byte too many at the end as well.
      held &= (1 << bits) - 1;
    }
  }
  return bytes;
}

// The content of a packed element of the page; null where it is empty.
async function unpacked(id) {
  const text = byId(id).textContent.trim();
  if (!text) return null;
  const stream = new Blob([bytesOfDigits(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads numbers of seven bits per byte, the lowest first.
function numberReader(bytes, at = 0) {
  return {
    next() {
      let value = 0, power = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * power;
        power *= 128;
      } while (byte > 127);
      return value;
    },
    get place() { return at; },
  };
}

// Strings as wideangle.report.text_block writes them: {count, order, known, string(d, field)}, fields being name, title and text.
function openedTexts(bytes) {
  const end = bytes.indexOf(10), head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const { count: n, words, known } = head, order = numbers(head.order, Uint16Array), placeOf = new Uint32Array(n);
  for (let place = 0; place < n; place++) placeOf[order[place]] = place;
  const reader = numberReader(bytes, end + 1), ends = new Uint32Array(3 * n + 1);
  for (let k = 0; k < 3 * n; k++) ends[k + 1] = ends[k] + reader.next();
  const begin = reader.place;
  return { count: n, order, known, string: (d, field) => decodedString(bytes, begin + ends[3 * placeOf[d] + field], begin + ends[3 * placeOf[d] + field + 1], words) };
}

const isLetter = (code) => (code > 64 && code < 91) || (code > 96 && code < 123);

function decodedString(bytes, from, to, words) {
  const pieces = [];
  let wordBefore = false, letterBefore = false; // what stands before: a word of the dictionary, a letter
  for (let at = from; at < to;) {
    const byte = bytes[at++];
    if (byte >= 128) {
      const rank = byte < 192 ? byte - 128 : 64 + (byte - 192) * 256 + bytes[at++];
      pieces.push(wordBefore || letterBefore ? " " : "", words[rank]);
      [wordBefore, letterBefore] = [true, false];
    } else if (byte === 1) {
      const reader = numberReader(bytes, at), length = reader.next();
      at = reader.place + length;
      pieces.push(new TextDecoder().decode(bytes.subarray(reader.place, at)));
      wordBefore = letterBefore = false;
    } else {
      letterBefore = isLetter(byte);
      pieces.push(wordBefore && letterBefore ? " " : "", String.fromCharCode(byte));
      wordBefore = false;
    }
  }
  return pieces.join("");
}
