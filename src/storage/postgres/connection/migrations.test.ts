import { expect, test } from "vitest";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { fileNameOfAction, placedWords } from "./later-schemas.ts";
import { migrations } from "./migrate.ts";

/** A database that has run a migration never runs it again. Add the digest of each new migration. */
const digests: readonly string[] = [
  "d907b3924530c948de25f91f669646965de37fc6f5a8f936e1df6d39a479b480",
  "d1d58db7e810909b99895e86f2f90474f61096dacc89ccf7ab9453bc4180c654",
  "cc2e5f2379b1a6435e091517cbad6a5900dd9d46b43a8fd88e272907e1f6133a",
  "57ea3bb6ec36148f895f2c424a11780b89a52a5b1a1759c8a4dae85b112b64a1",
  "57bfa8a455e443b5cbf9e14dd442a982cf6904cc497b8d80b7efd1e1966567a4",
  "be651a1cf87e42b0301f649af519848860ae3ca7bca2e447c7bc7ee7cf39217c",
  "f1c083b2835fa3a99cf5d6b5129c4d140d3308761cd0e44e53e1c3126114167b",
  "2896e947c689af068f4800075b8444df476ff7cf922bbb5ec1b562dbaa4218d8",
  "8fe0775672737129c2c5b952e1c8692ac3116293116aa219299a443ec1205bae",
  "7a34a9d5bccaec011d7836be279ec74c83008cf2ca0ebc1d9b0c0b602bd5efcb",
  "74bf92e2d5a97e2170a4e7977b7c77cea78c546add67a38c0082d94eac0c1afa",
  "69db43e513916b47dfcad6faf0c6de033c75d006bb45ff9d8211bb56c7bfde17",
  "3b41f8b51482a5061910a39a72335def2c4999c80db22689c256488843cfac01",
  "ae5f40311d452cff6f7289378aad6b9e2ee4b7d1bdecabfdb91e539a60cbd7d3",
];

const plain = (sql: string): string => sql.replaceAll(/\s+/g, "");
const lastToCreate = (index: string): string =>
  migrations.findLast((text) => text.includes(`INDEX ${index} `)) ?? "";

test("no released migration was edited", () => {
  expect(migrations.map((text) => sha256Hex(text))).toEqual(digests);
});

test("searches use the expressions of their indexes", () => {
  expect(plain(lastToCreate("actions_by_file"))).toContain(plain(`(${fileNameOfAction})`));
  expect(plain(lastToCreate("text_words_by_place"))).toContain(
    plain(`(${placedWords.replaceAll("w.", "")})`),
  );
});
