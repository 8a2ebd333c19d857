// Stands in the bundle for what the SDK takes from its runtime: the same without a schema compiler. That one serves
// forms that a client fills in, and loading it takes longer than everything Thoughtbox does before its first answer.
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("Thoughtbox asks for no forms");
  }
}
