// Replaces the SDK's runtime shims in the bundle, without the schema compiler. The compiler is only needed
// for forms that a client fills in, and loading it takes longer than everything else before the first answer.
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("Thoughtbox does not ask for forms");
  }
}
