// SPDX-License-Identifier: BSD-3-Clause
// read.js DESCRIBE [MESSAGES ...]
// Recordings that the program DESCRIBE writes, read by @mcap/core: all messages, schemas, channels, indexes, statistics and
// checksums are what DESCRIBE tells. ACH_TEST_SCALE percent of the messages.
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { McapIndexedReader, McapStreamReader, McapConstants } = require("@mcap/core");
const { crc32Init, crc32Update, crc32Final } = require("@foxglove/crc");

const RECORD_HEAD = 9;
const OPCODE = { channel: 4, chunk: 6, messageIndex: 7, attachment: 9, metadata: 12, summaryOffset: 14, dataEnd: 15 };

async function handlers() {
  const lz4 = require("@foxglove/wasm-lz4").default ?? require("@foxglove/wasm-lz4");
  const zstd = require("@foxglove/wasm-zstd");
  await lz4.isLoaded;
  await zstd.isLoaded;
  return {
    lz4: (bytes, size) => lz4(bytes, Number(size)),
    zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
  };
}

class File {
  constructor(name) {
    this.fd = fs.openSync(name, "r");
    this.bytes = fs.fstatSync(this.fd).size;
  }
  async size() {
    return BigInt(this.bytes);
  }
  async read(offset, size) {
    return this.at(Number(offset), Number(size));
  }
  at(offset, size) {
    const bytes = new Uint8Array(size);
    assert.equal(fs.readSync(this.fd, bytes, 0, size, offset), size);
    return bytes;
  }
  close() {
    fs.closeSync(this.fd);
  }
}

const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// Where each record begins, without its content: {opcode, offset, length}.
function records(file) {
  const found = [];
  for (let offset = 8; offset < file.bytes - 8; ) {
    const head = file.at(offset, RECORD_HEAD);
    const length = RECORD_HEAD + Number(view(head).getBigUint64(1, true));
    found.push({ opcode: head[0], offset, length });
    offset += length;
  }
  return found;
}

// Of the records of a chunk: offset, channel and log time of each message.
function messagesOf(bytes) {
  const found = [];
  const v = view(bytes);
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === 5) {
      found.push({ offset: BigInt(at), channel: v.getUint16(at + 9, true), time: v.getBigUint64(at + 15, true) });
    }
    at += RECORD_HEAD + Number(v.getBigUint64(at + 1, true));
  }
  return found;
}

const texts = (map) => Object.fromEntries(map);

function sameSchema(schema, want) {
  assert.equal(schema.id, want.id);
  assert.equal(schema.name, want.name);
  assert.equal(schema.encoding, want.encoding);
  assert.equal(Buffer.from(schema.data).toString(), want.data);
}

function sameChannel(channel, want) {
  assert.equal(channel.id, want.id);
  assert.equal(channel.topic, want.topic);
  assert.equal(channel.schemaId, want.schema);
  assert.equal(channel.messageEncoding, "json");
  assert.deepEqual(texts(channel.metadata), want.metadata);
}

class Digest {
  constructor() {
    this.crc = crc32Init();
    this.head = new Uint8Array(22);
    this.count = 0;
  }
  add(m) {
    const v = view(this.head);
    v.setUint16(0, m.channelId, true);
    v.setUint32(2, m.sequence, true);
    v.setBigUint64(6, m.logTime, true);
    v.setBigUint64(14, m.publishTime, true);
    this.crc = crc32Update(crc32Update(this.crc, this.head), m.data);
    this.count++;
  }
  end() {
    return crc32Final(this.crc) >>> 0;
  }
}

// By the index: it verifies the checksums of the summary, of chunks and of attachments.
async function readIndexed(file, want, decompressHandlers) {
  const reader = await McapIndexedReader.Initialize({ readable: file, decompressHandlers });
  assert.equal(reader.header.library, "ach");
  assert.notEqual(reader.footer.summaryCrc, 0);
  assert.equal(reader.schemasById.size, 1);
  sameSchema(reader.schemasById.get(1), want.schema);
  assert.equal(reader.channelsById.size, want.channels.length);
  want.channels.forEach((c) => sameChannel(reader.channelsById.get(c.id), c));

  const digest = new Digest();
  for await (const m of reader.readMessages({ validateCrcs: true })) digest.add(m);
  assert.equal(digest.count, want.messages);
  assert.equal(digest.end(), want.digest);

  const attachments = [];
  for await (const a of reader.readAttachments({ validateCrcs: true })) attachments.push(a);
  assert.equal(attachments.length, 1);
  for (const key of ["name", "mediaType"]) assert.equal(attachments[0][key], want.attachment[key]);
  for (const key of ["logTime", "createTime"]) assert.equal(attachments[0][key], BigInt(want.attachment[key]));
  assert.equal(Buffer.from(attachments[0].data).toString(), want.attachment.data);
  const metadata = [];
  for await (const m of reader.readMetadata()) metadata.push(m);
  assert.deepEqual(metadata.map((m) => [m.name, texts(m.metadata)]), [[want.metadata.name, want.metadata.metadata]]);
  return reader;
}

function sameStatistics(statistics, want, chunks) {
  assert.equal(statistics.messageCount, BigInt(want.messages));
  assert.equal(statistics.schemaCount, 1);
  assert.equal(statistics.channelCount, want.channels.length);
  assert.equal(statistics.attachmentCount, 1);
  assert.equal(statistics.metadataCount, 1);
  assert.equal(statistics.chunkCount, chunks);
  assert.equal(statistics.messageStartTime, BigInt(want.first));
  assert.equal(statistics.messageEndTime, BigInt(want.last));
  const counts = want.channels.filter((c) => c.messages).map((c) => [c.id, BigInt(c.messages)]);
  assert.deepEqual([...statistics.channelMessageCounts].sort((a, b) => a[0] - b[0]), counts);
}

// The index of a chunk, and the indexes of its messages, beside what is in the chunk.
function sameChunk(file, all, at, index, decompressHandlers) {
  const record = all[at];
  const bytes = file.at(record.offset, record.length);
  const stream = new McapStreamReader({ includeChunks: true, decompressHandlers, noMagicPrefix: true });
  stream.append(bytes);
  const chunk = stream.nextRecord();
  assert.equal(chunk.type, "Chunk");
  assert.notEqual(chunk.uncompressedCrc, 0);
  const plain = chunk.compression
    ? decompressHandlers[chunk.compression](chunk.records, chunk.uncompressedSize)
    : chunk.records;
  const messages = messagesOf(plain);
  const times = messages.map((m) => m.time);
  const earliest = times.reduce((a, b) => (a < b ? a : b));
  const latest = times.reduce((a, b) => (a > b ? a : b));

  assert.equal(index.chunkLength, BigInt(record.length));
  assert.equal(index.compression, chunk.compression);
  assert.equal(index.compressedSize, BigInt(chunk.records.length));
  assert.equal(index.uncompressedSize, BigInt(plain.length));
  assert.equal(chunk.uncompressedSize, BigInt(plain.length));
  for (const said of [index, chunk]) {
    assert.equal(said.messageStartTime, earliest);
    assert.equal(said.messageEndTime, latest);
  }

  const channels = new Set(messages.map((m) => m.channel));
  let length = 0;
  assert.equal(index.messageIndexOffsets.size, channels.size);
  for (let i = at + 1; i <= at + channels.size; i++) {
    assert.equal(all[i].opcode, OPCODE.messageIndex);
    const reader = new McapStreamReader({ noMagicPrefix: true });
    reader.append(file.at(all[i].offset, all[i].length));
    const said = reader.nextRecord();
    assert.equal(index.messageIndexOffsets.get(said.channelId), BigInt(all[i].offset));
    const own = messages.filter((m) => m.channel === said.channelId).map((m) => [m.time, m.offset]);
    assert.deepEqual(said.records, own);
    length += all[i].length;
  }
  assert.equal(index.messageIndexLength, BigInt(length));
  assert.notEqual(all[at + channels.size + 1].opcode, OPCODE.messageIndex);
  return chunk.compression;
}

function crcOf(file, end) {
  let crc = crc32Init();
  for (let at = 0; at < end; at += 1 << 20) crc = crc32Update(crc, file.at(at, Math.min(1 << 20, end - at)));
  return crc32Final(crc) >>> 0;
}

// Positions, lengths and checksums, record by record.
function checkLayout(file, reader, want, decompressHandlers) {
  const all = records(file);
  const chunks = all.map((r, i) => [r, i]).filter(([r]) => r.opcode === OPCODE.chunk);
  const found = new Set();
  assert.equal(reader.chunkIndexes.length, chunks.length);
  sameStatistics(reader.statistics, want, chunks.length);
  for (const [record, i] of chunks) {
    const index = reader.chunkIndexes.find((c) => c.chunkStartOffset === BigInt(record.offset));
    found.add(sameChunk(file, all, i, index, decompressHandlers));
  }

  for (const [opcode, indexes] of [[OPCODE.attachment, reader.attachmentIndexes], [OPCODE.metadata, reader.metadataIndexes]]) {
    const own = all.filter((r) => r.opcode === opcode);
    assert.deepEqual(indexes.map((x) => [Number(x.offset), Number(x.length)]), own.map((r) => [r.offset, r.length]));
  }
  assert.equal(reader.attachmentIndexes[0].dataSize, BigInt(want.attachment.data.length));
  assert.equal(reader.attachmentIndexes[0].name, want.attachment.name);
  assert.equal(reader.metadataIndexes[0].name, want.metadata.name);

  const end = all.find((r) => r.opcode === OPCODE.dataEnd);
  const crc = view(file.at(end.offset + RECORD_HEAD, 4)).getUint32(0, true);
  assert.equal(crc, crcOf(file, end.offset));

  const start = Number(reader.footer.summaryStart);
  const offsets = Number(reader.footer.summaryOffsetStart);
  const groups = new Map();
  for (const r of all.filter((x) => x.offset >= start && x.offset < offsets)) {
    const group = groups.get(r.opcode) ?? { start: r.offset, length: 0 };
    assert.equal(group.start + group.length, r.offset, "records of a kind are in one group");
    groups.set(r.opcode, { start: group.start, length: group.length + r.length });
  }
  assert.equal(end.offset + end.length, start);
  assert.equal(all.filter((r) => r.opcode === OPCODE.summaryOffset).length, groups.size);
  for (const [opcode, group] of groups) {
    const said = reader.summaryOffsetsByOpcode.get(opcode);
    assert.deepEqual([Number(said.groupStart), Number(said.groupLength)], [group.start, group.length]);
  }
  return found;
}

// From the beginning to the end, which verifies the checksums of the data and of chunks.
function readStream(file, want, decompressHandlers) {
  const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const seen = new Map();
  const channels = new Set();
  let messages = 0;
  for (let at = 0; at < file.bytes; ) {
    const bytes = file.at(at, Math.min(1 << 16, file.bytes - at));
    at += bytes.length;
    stream.append(bytes);
    for (let r; (r = stream.nextRecord()); ) {
      seen.set(r.type, (seen.get(r.type) ?? 0) + 1);
      if (r.type === "Channel") channels.add(r.id);
      if (r.type === "Message") assert.equal(r.sequence, messages++);
      if (r.type === "Message") assert(channels.has(r.channelId));
    }
  }
  assert(stream.done());
  assert.equal(messages, want.messages);
  assert.equal(seen.get("Footer"), 1);
  // In the data and in the summary.
  assert.equal(seen.get("Channel"), 2 * want.channels.length);
  assert.equal(seen.get("Schema"), 2);
}

async function check(describe, name, messages, compression, decompressHandlers) {
  const run = spawnSync(describe, [name, String(messages), compression], { encoding: "utf8" });
  if (run.status === 77) {
    console.log(`${compression}: ${run.stdout.trim()}`);
    return;
  }
  assert.equal(run.status, 0, run.stderr);
  const want = JSON.parse(run.stdout);
  const file = new File(name);
  const reader = await readIndexed(file, want, decompressHandlers);
  const found = checkLayout(file, reader, want, decompressHandlers);
  readStream(file, want, decompressHandlers);
  file.close();
  // Something was compressed, if that was asked for.
  if (messages > 1000) assert.equal(found.has(compression), compression !== "none");
  console.log(`${messages} messages, ${compression}: ${file.bytes} bytes, ${reader.chunkIndexes.length} chunks agree`);
}

async function main() {
  const [describe, ...counts] = process.argv.slice(2);
  const scale = Number(process.env.ACH_TEST_SCALE ?? 100);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "mcap-"));
  process.on("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit(1));
  const decompressHandlers = await handlers();
  assert.equal(McapConstants.MCAP_MAGIC.length, 8);
  for (const compression of ["none", "lz4", "zstd"]) {
    for (const count of counts) {
      const messages = count > 1000 ? Math.ceil((count * scale) / 100) : Number(count); // 10 million in make check-long
      await check(describe, path.join(dir, "file.mcap"), messages, compression, decompressHandlers);
    }
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
