// src/domain/consistency/similar-texts.ts
var maxMissingShare = 1 - 0.35 / 0.65;
function similarPairs(texts) {
  const keys = texts.map((text) => [...new Set(text?.tokens.map(({ key }) => key))]);
  const frequency = /* @__PURE__ */ new Map();
  for (const key of keys.flat()) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const holders = /* @__PURE__ */ new Map();
  return keys.flatMap((distinct2, right) => {
    const rarest = distinct2.sort((a, b) => frequency.get(a) - frequency.get(b) || (a < b ? -1 : 1));
    const prefix = rarest.slice(0, Math.floor((texts[right]?.tokens.length ?? 0) * maxMissingShare) + 1);
    const similar = new Set(prefix.flatMap((key) => holders.get(key) ?? []));
    for (const key of prefix) holders.set(key, [...holders.get(key) ?? [], right]);
    return [...similar].sort((a, b) => a - b).map((left) => [left, right]);
  });
}

// src/domain/layers.ts
import { z as z2 } from "zod";

// src/domain/json.ts
import { z } from "zod";
var maxJsonDepth = 32;
function jsonError(value) {
  return errorBelow(value, []);
}
function errorBelow(value, path) {
  if (path.length > maxJsonDepth)
    return { path: path.slice(0, 3), message: `nested more than ${maxJsonDepth} levels deep` };
  if (typeof value === "string") {
    const message = textError(value);
    return message === void 0 ? void 0 : { path, message };
  }
  if (typeof value === "number")
    return Number.isFinite(value) ? void 0 : { path, message: "not a finite number" };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const error = errorBelow(item, [...path, index]);
      if (error) return error;
    }
    return void 0;
  }
  if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === "__proto__") return { path, message: "the key __proto__ is not allowed" };
      const message = textError(key);
      if (message !== void 0) return { path, message: `a key ${message}` };
      const error = errorBelow(item, [...path, key]);
      if (error) return error;
    }
    return void 0;
  }
  return value === null || typeof value === "boolean" ? void 0 : { path, message: "not a JSON value" };
}
function textError(text) {
  if (text.includes("\0")) return "contains U+0000";
  return text.isWellFormed() ? void 0 : "contains a lone surrogate";
}
var jsonObject = z.unknown().superRefine((value, context) => {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) {
    context.addIssue({ code: "invalid_type", expected: "object" });
    return;
  }
  const error = jsonError(value);
  if (error) context.addIssue({ code: "custom", path: error.path, message: error.message });
}).transform((value) => value).meta({ type: "object", additionalProperties: true });
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== void 0);
    entries.sort(([left], [right]) => left < right ? -1 : 1);
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
function isJsonObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// src/domain/layers.ts
var layers = ["agent", "user", "session", "project", "team", "org", "company"];
var layerSchema = z2.enum(layers).meta({ description: "Layer that determines who can see the memory; values from most to least specific" });
var scopeKeys = ["org", "team", "project", "session", "user", "agent"];
var identifier = printable(256);
var externalIdSchema = printable(512);
function printable(maxLength5) {
  return z2.string().min(1).max(maxLength5).superRefine((value, context) => {
    const message = textError(value) ?? (/\p{Cc}/u.test(value) ? "contains a control character" : void 0);
    if (message) context.addIssue({ code: "custom", message });
  });
}
var scopeSchema = z2.strictObject({
  org: identifier.optional(),
  team: identifier.optional(),
  project: identifier.optional(),
  session: identifier.optional(),
  user: identifier.optional(),
  agent: identifier.optional()
});
var containerKeys = ["session", "project", "team", "org"];
function innermostContainer(scope) {
  for (const key of containerKeys) {
    const value = scope[key];
    if (value !== void 0) return { key, value };
  }
  return void 0;
}

// src/domain/text/detached-copy.ts
function detachedCopy(text) {
  return ` ${text}`.slice(1);
}

// src/domain/text/simplified-chinese.ts
var TRADITIONAL = "\u4E1F\u4E26\u4E7E\u4E82\u4E99\u4E9E\u4F47\u4F48\u4F54\u4F75\u4F86\u4F96\u4FB6\u4FB7\u4FC2\u4FE0\u4FEC\u5000\u5006\u5009\u500B\u5011\u5016\u502B\u5049\u5074\u5075\u507D\u5091\u5096\u5098\u5099\u50A2\u50AD\u50AF\u50B3\u50B5\u50B7\u50BE\u50C5\u50D1\u50D5\u50DE\u50E5\u50F1\u50F9\u5100\u5101\u5102\u5104\u5108\u5109\u5110\u5114\u5115\u5118\u511F\u512A\u5132\u5137\u513B\u513C\u5147\u514C\u5152\u5157\u5167\u5169\u518A\u5191\u51AA\u51C8\u51CD\u51DC\u51F1\u5225\u522A\u5247\u524B\u524E\u525B\u525D\u526E\u5274\u5275\u5277\u5283\u5284\u5287\u5289\u528A\u528D\u5291\u52C1\u52D5\u52D9\u52DB\u52DD\u52DE\u52E2\u52F3\u52F5\u52F8\u52FB\u532F\u5331\u5340\u5354\u5379\u537B\u537D\u53A0\u53A4\u53AD\u53B2\u53C3\u53C4\u53E2\u5412\u5433\u5436\u5442\u54E1\u5538\u554F\u5553\u555E\u555F\u559A\u55AA\u55AB\u55AC\u55AE\u55B2\u55C6\u55C7\u55CE\u55DA\u55F6\u5606\u560D\u5614\u5616\u5617\u5629\u562E\u562F\u5630\u5641\u5653\u5665\u566F\u5674\u5678\u5679\u5680\u5687\u5690\u5695\u5699\u56A5\u56A8\u56AE\u56B4\u56B6\u56C0\u56C1\u56C2\u56C8\u56C9\u56CC\u56D1\u56EA\u570B\u570D\u5712\u5713\u5716\u5718\u57BB\u57F0\u57F7\u5805\u580A\u581D\u582F\u5831\u5834\u584A\u584B\u5852\u5857\u585A\u5862\u5875\u5879\u588A\u589C\u58AE\u58B0\u58B3\u58BB\u58BE\u58C7\u58CE\u58D3\u58D8\u58D9\u58DC\u58DE\u58DF\u58E2\u58E9\u58EF\u58FA\u58FD\u5920\u5922\u5925\u593E\u5950\u5967\u5969\u596A\u596C\u596E\u599D\u59CD\u59E6\u5A1B\u5A41\u5A66\u5AA7\u5ABC\u5ABD\u5AD7\u5AF5\u5AFB\u5B08\u5B0B\u5B0C\u5B24\u5B2A\u5B30\u5B38\u5B43\u5B6B\u5B78\u5B7F\u5BAE\u5BC0\u5BE2\u5BE6\u5BE7\u5BE9\u5BEB\u5BEC\u5BF5\u5BF6\u5C07\u5C08\u5C0B\u5C0D\u5C0E\u5C37\u5C46\u5C4D\u5C5C\u5C62\u5C64\u5C68\u5C6C\u5CA1\u5CEF\u5CF4\u5CF6\u5CFD\u5D11\u5D17\u5D19\u5D22\u5D50\u5D57\u5D84\u5D87\u5D94\u5DB8\u5DBA\u5DBC\u5DBD\u5DCB\u5DD2\u5DD4\u5DD6\u5E25\u5E2B\u5E33\u5E36\u5E40\u5E43\u5E57\u5E5F\u5E63\u5E6B\u5E77\u5E79\u5E7E\u5EAB\u5EC1\u5EC2\u5EC4\u5EC8\u5ED5\u5EDA\u5EDD\u5EDF\u5EE0\u5EE2\u5EE3\u5EEC\u5EF3\u5F12\u5F14\u5F35\u5F37\u5F46\u5F48\u5F4C\u5F4E\u5F54\u5F59\u5F65\u5F6B\u5F7F\u5F8C\u5F91\u5F9E\u5FA0\u5FA9\u5FB5\u5FB9\u6046\u6065\u6085\u60B5\u60B6\u60BD\u60E1\u60F1\u60FB\u611B\u611C\u6134\u6137\u613E\u6144\u614B\u614D\u6158\u615A\u615F\u6163\u616B\u616E\u6176\u617C\u617E\u6182\u618A\u6190\u6191\u619A\u61A4\u61AB\u61AE\u61B2\u61B6\u61C7\u61C9\u61CD\u61DE\u61E3\u61F2\u61F6\u61F7\u61F8\u61FA\u61FC\u61FE\u6200\u6230\u6232\u6236\u625E\u62CB\u62DA\u633E\u6368\u636B\u6371\u6372\u6383\u6384\u6399\u639B\u63A1\u63C0\u63DA\u63DB\u63EE\u640D\u6416\u6417\u6427\u6436\u6451\u645F\u646F\u6473\u647A\u647B\u6488\u6490\u6493\u64A3\u64A5\u64AB\u64B2\u64B3\u64BB\u64BE\u64BF\u64C1\u64C4\u64C7\u64CA\u64CB\u64D4\u64DA\u64E0\u64E1\u64E3\u64EC\u64EF\u64F0\u64F1\u64F2\u64F4\u64F7\u64FA\u64FB\u64FE\u6506\u650F\u6514\u6519\u651C\u651D\u6522\u6523\u6524\u652A\u652C\u654E\u6557\u6558\u6575\u6578\u6582\u6583\u6595\u65AC\u65B7\u65BC\u65C2\u65E3\u6607\u6642\u6649\u665D\u6688\u6689\u6698\u66A2\u66AB\u66C4\u66C6\u66C7\u66C9\u66CF\u66D6\u66E0\u66EC\u66F8\u6703\u6727\u672E\u6771\u67B4\u67F5\u67FA\u67FB\u687F\u6894\u689D\u689F\u68C4\u68CA\u68D7\u68DF\u68E7\u68F2\u694A\u6953\u6968\u696D\u6975\u6998\u69A6\u69AE\u69CB\u69CD\u69D3\u69E8\u69F3\u6A01\u6A02\u6A05\u6A11\u6A13\u6A19\u6A1E\u6A23\u6A38\u6A39\u6A3A\u6A48\u6A4B\u6A5F\u6A62\u6A6B\u6A94\u6A9C\u6AA2\u6AA3\u6AAE\u6AAF\u6AB3\u6AB8\u6ABB\u6AC3\u6AD3\u6ADA\u6ADB\u6ADD\u6AE5\u6AEC\u6AFB\u6B04\u6B0A\u6B16\u6B3D\u6B4E\u6B50\u6B5F\u6B61\u6B72\u6B77\u6B78\u6B7F\u6B98\u6BA4\u6BAD\u6BAE\u6BAF\u6BB2\u6BBA\u6BBB\u6BBC\u6BC0\u6BC6\u6C08\u6C23\u6C2B\u6C2C\u6C33\u6C3E\u6C4E\u6C59\u6C7A\u6C92\u6C96\u6CC1\u6CDD\u6D29\u6D36\u6D79\u6D87\u6DBC\u6DD2\u6DDA\u6DE8\u6DE9\u6DEA\u6DF5\u6DFA\u6E19\u6E1B\u6E26\u6E2C\u6E3E\u6E4A\u6E67\u6E6F\u6E96\u6E9D\u6EAB\u6EBC\u6EC4\u6EC5\u6ECC\u6ED9\u6EEC\u6EEF\u6EF2\u6EF7\u6EFE\u6EFF\u6F01\u6F1A\u6F22\u6F23\u6F2C\u6F32\u6F38\u6F3F\u6F51\u6F54\u6F5B\u6F64\u6F6F\u6F70\u6F80\u6F86\u6F87\u6F97\u6FA0\u6FA4\u6FA6\u6FB1\u6FC1\u6FC3\u6FD5\u6FD8\u6FDB\u6FDF\u6FE4\u6FEB\u6FF0\u6FF1\u6FFA\u6FFE\u7006\u7009\u700B\u700F\u7015\u7018\u701D\u701F\u7028\u7030\u7032\u703E\u7051\u7055\u7058\u7063\u7064\u707D\u70BA\u70CF\u70F4\u7121\u7149\u7159\u7165\u7169\u716C\u7192\u71B1\u71BE\u71C8\u71C9\u71D2\u71D9\u71DC\u71DF\u71E6\u71EC\u71ED\u71F4\u71FB\u71FC\u71FE\u720D\u7210\u721B\u722D\u7232\u723A\u723E\u7240\u7246\u7258\u7274\u727D\u7296\u729B\u72A2\u72A7\u72C0\u72F9\u72FD\u7319\u7336\u7343\u7344\u7345\u734E\u7368\u7370\u7372\u7375\u7377\u7378\u737A\u737B\u7380\u73FE\u7431\u743A\u743F\u7463\u7464\u7469\u746A\u74A3\u74A6\u74B0\u74BD\u74BF\u74CA\u74CF\u74D4\u74DA\u750C\u7515\u7522\u7523\u755D\u7562\u756B\u7570\u7575\u7576\u7587\u758A\u75D9\u75E0\u760B\u760D\u7613\u7621\u7627\u763A\u7642\u7646\u7652\u7658\u765F\u7661\u7662\u7665\u7669\u766C\u766E\u7670\u7671\u7672\u767C\u7681\u769A\u76B0\u76BA\u76C3\u76DC\u76DE\u76E1\u76E3\u76E4\u76E7\u76EA\u771E\u773E\u774F\u775C\u775E\u779E\u77BC\u77C7\u77D3\u77DA\u77EF\u7843\u786F\u78A9\u78BA\u78BC\u78DA\u78E7\u78EF\u790E\u7919\u7926\u792A\u792B\u792C\u7955\u797F\u798D\u798E\u79A6\u79AA\u79AE\u79B1\u79BF\u79C8\u7A05\u7A08\u7A1C\u7A1F\u7A2E\u7A31\u7A40\u7A4C\u7A4D\u7A4E\u7A60\u7A61\u7A62\u7A69\u7A6B\u7AA9\u7AAA\u7AAE\u7AAF\u7ABA\u7AC4\u7AC5\u7AC7\u7AC8\u7ACA\u7AEA\u7AF6\u7B46\u7B4D\u7B67\u7B87\u7B8B\u7B8F\u7B9A\u7BC0\u7BC4\u7BC9\u7BE0\u7BE4\u7BE9\u7C0D\u7C11\u7C1E\u7C21\u7C23\u7C2B\u7C3D\u7C3E\u7C43\u7C4C\u7C5F\u7C60\u7C64\u7C6C\u7C6E\u7C72\u7CB5\u7CDD\u7CDE\u7CE7\u7CF0\u7CFE\u7D00\u7D02\u7D04\u7D05\u7D06\u7D07\u7D09\u7D0B\u7D0D\u7D10\u7D14\u7D15\u7D17\u7D19\u7D1A\u7D1B\u7D1C\u7D21\u7D2E\u7D30\u7D31\u7D32\u7D33\u7D39\u7D3C\u7D40\u7D42\u7D43\u7D44\u7D46\u7D50\u7D55\u7D5B\u7D5E\u7D61\u7D62\u7D66\u7D68\u7D70\u7D71\u7D72\u7D73\u7D76\u7D79\u7D81\u7D89\u7D8F\u7D91\u7D93\u7D9C\u7D9E\u7DA0\u7DA2\u7DAB\u7DAC\u7DAD\u7DB0\u7DB1\u7DB2\u7DB3\u7DB4\u7DB5\u7DB8\u7DBA\u7DBB\u7DBD\u7DBE\u7DBF\u7DC7\u7DCA\u7DD1\u7DD2\u7DD8\u7DD9\u7DDA\u7DDD\u7DDE\u7DE0\u7DE3\u7DE8\u7DE9\u7DEC\u7DEF\u7DF2\u7DF4\u7DF9\u7DFB\u7E08\u7E09\u7E0A\u7E10\u7E11\u7E1B\u7E1D\u7E1E\u7E23\u7E27\u7E2B\u7E2E\u7E31\u7E32\u7E34\u7E35\u7E37\u7E39\u7E3D\u7E3E\u7E43\u7E45\u7E46\u7E52\u7E54\u7E55\u7E5A\u7E5E\u7E61\u7E69\u7E6A\u7E6B\u7E6D\u7E73\u7E79\u7E7C\u7E7D\u7E8C\u7E8D\u7E8F\u7E93\u7E94\u7E96\u7E9C\u7F3D\u7F48\u7F4C\u7F4E\u7F70\u7F75\u7F77\u7F85\u7F88\u7F8B\u7FA3\u7FA8\u7FA9\u7FB6\u7FD2\u7FEB\u7FF9\u8056\u805E\u806F\u8070\u8072\u8073\u8076\u8077\u807D\u807E\u8085\u8105\u8108\u8123\u8129\u812B\u8139\u814E\u8166\u816B\u8173\u8178\u819A\u81A0\u81A9\u81BD\u81BE\u81BF\u81C9\u81CD\u81CF\u81D8\u81DA\u81DF\u81E2\u81E5\u81E8\u81FA\u8207\u8208\u8209\u820A\u8216\u8218\u8259\u8266\u8271\u8277\u82BB\u82E7\u8332\u834A\u838A\u8396\u83A2\u83A7\u83EF\u83F4\u83F8\u8407\u840A\u842C\u8435\u8449\u8466\u846F\u8477\u8490\u849E\u84BC\u84C0\u84C6\u84CB\u84EE\u8514\u8518\u8523\u8525\u852D\u8569\u856A\u856D\u858A\u8591\u8594\u85A6\u85A9\u85B9\u85BA\u85CD\u85DD\u85E5\u85EA\u85F4\u85F9\u85FA\u8606\u8607\u860A\u860B\u861A\u862D\u863F\u8655\u865B\u865C\u865F\u8667\u86FB\u8706\u8755\u8766\u8768\u8778\u879E\u87A2\u87BB\u87C4\u87C8\u87EC\u87EF\u87F2\u87FB\u8805\u880D\u8814\u881F\u8823\u8831\u8836\u883B\u8846\u884A\u8853\u8855\u885A\u885B\u885D\u889E\u88B7\u88CA\u88CF\u88DC\u88DD\u88E1\u88FD\u8907\u8932\u8938\u893B\u8956\u8960\u8964\u896A\u896C\u896F\u8972\u8988\u898B\u898F\u8993\u8996\u89A6\u89AA\u89AC\u89B2\u89BA\u89BD\u89C0\u89F4\u89F8\u8A02\u8A03\u8A08\u8A0A\u8A0C\u8A0E\u8A10\u8A13\u8A15\u8A16\u8A17\u8A18\u8A1B\u8A1D\u8A1F\u8A23\u8A25\u8A2A\u8A2D\u8A31\u8A34\u8A36\u8A3A\u8A3B\u8A3C\u8A41\u8A46\u8A50\u8A54\u8A55\u8A56\u8A5B\u8A5E\u8A60\u8A62\u8A63\u8A66\u8A69\u8A6B\u8A6C\u8A6D\u8A6E\u8A70\u8A71\u8A72\u8A73\u8A7C\u8A85\u8A87\u8A8C\u8A8D\u8A91\u8A95\u8A98\u8A9A\u8A9E\u8AA0\u8AA1\u8AA3\u8AA4\u8AA5\u8AA6\u8AA8\u8AAA\u8AAC\u8AB0\u8AB2\u8AB6\u8AB9\u8ABC\u8ABF\u8AC2\u8AC4\u8AC7\u8AC9\u8ACB\u8ACD\u8AD2\u8AD6\u8ADB\u8ADC\u8AE6\u8AE7\u8AEB\u8AED\u8AEE\u8AF1\u8AF3\u8AF6\u8AF7\u8AF8\u8AFA\u8AFC\u8AFE\u8B00\u8B01\u8B02\u8B04\u8B05\u8B0A\u8B0E\u8B10\u8B17\u8B19\u8B1B\u8B1D\u8B20\u8B21\u8B28\u8B2B\u8B2C\u8B39\u8B3E\u8B41\u8B49\u8B4E\u8B4F\u8B58\u8B59\u8B5A\u8B5C\u8B5F\u8B6B\u8B6D\u8B6F\u8B70\u8B74\u8B77\u8B7D\u8B80\u8B8A\u8B92\u8B93\u8B95\u8B96\u8B9A\u8B9C\u8C3F\u8C48\u8C4E\u8C50\u8C54\u8C6C\u8C8D\u8C93\u8C9D\u8C9E\u8CA0\u8CA1\u8CA2\u8CA7\u8CA8\u8CA9\u8CAA\u8CAB\u8CAC\u8CAF\u8CB2\u8CB3\u8CB4\u8CB6\u8CB7\u8CB8\u8CBB\u8CBC\u8CBD\u8CBF\u8CC0\u8CC1\u8CC2\u8CC3\u8CC4\u8CC5\u8CC7\u8CC8\u8CCA\u8CD1\u8CD2\u8CD3\u8CDC\u8CDE\u8CE0\u8CE1\u8CE2\u8CE3\u8CE4\u8CE6\u8CEA\u8CEC\u8CED\u8CF4\u8CFA\u8CFB\u8CFC\u8CFD\u8D05\u8D08\u8D0A\u8D0D\u8D0F\u8D13\u8D16\u8D17\u8D1B\u8D1C\u8D95\u8D99\u8DA8\u8DE1\u8E10\u8E30\u8E34\u8E55\u8E5F\u8E63\u8E64\u8E7A\u8E82\u8E89\u8E8A\u8E8B\u8E8D\u8E91\u8E93\u8EA1\u8EA5\u8EAA\u8EC0\u8ECA\u8ECB\u8ECC\u8ECD\u8ED2\u8ED4\u8EDB\u8EDF\u8EF8\u8EFB\u8EFC\u8EFE\u8F03\u8F09\u8F0A\u8F12\u8F13\u8F14\u8F15\u8F1B\u8F1C\u8F1D\u8F1E\u8F1F\u8F25\u8F26\u8F29\u8F2A\u8F2F\u8F33\u8F38\u8F3B\u8F3E\u8F3F\u8F42\u8F44\u8F45\u8F49\u8F4D\u8F4E\u8F54\u8F5F\u8F61\u8FA6\u8FAD\u8FAE\u8FAF\u8FB2\u8FF4\u9015\u9019\u9023\u9031\u9032\u904A\u904B\u904E\u9054\u9055\u9059\u905C\u905E\u9060\u9061\u9069\u9072\u9076\u9077\u9078\u907A\u907C\u9081\u9084\u9087\u908A\u908F\u9090\u90F5\u9109\u9112\u9116\u9127\u912D\u9130\u9132\u9134\u9148\u9183\u9196\u919C\u919E\u91A3\u91AB\u91AC\u91B1\u91C0\u91C1\u91C5\u91CB\u91D0\u91D7\u91D8\u91D9\u91DD\u91E3\u91E6\u91E7\u91E9\u91F5\u91FA\u9205\u9209\u920D\u920E\u9210\u9211\u9214\u9215\u921E\u9221\u9223\u9234\u9237\u9238\u9239\u923D\u923E\u923F\u9240\u9245\u9246\u9249\u924B\u924D\u9251\u9257\u925A\u925B\u9262\u9264\u9278\u927B\u9280\u9285\u9291\u9293\u9296\u9298\u929C\u92A5\u92A8\u92AC\u92B3\u92B7\u92B9\u92BB\u92BC\u92C1\u92C5\u92C7\u92D2\u92E4\u92EA\u92ED\u92F0\u92F8\u92FC\u9304\u9310\u9315\u9318\u9319\u931A\u9320\u9321\u9322\u9326\u9328\u932B\u932E\u932F\u9332\u9333\u9336\u9341\u934A\u934B\u934D\u9354\u9358\u935A\u935B\u9365\u936C\u9370\u9375\u937A\u937C\u937E\u9382\u938A\u938C\u9394\u9396\u9398\u939A\u93A2\u93AC\u93AD\u93AE\u93B0\u93B3\u93C3\u93C7\u93C8\u93CD\u93D1\u93D7\u93D8\u93DC\u93DD\u93DF\u93E1\u93E2\u93E4\u93E8\u93FD\u9403\u9410\u9418\u942B\u942E\u9432\u9433\u9435\u9438\u943A\u9444\u9451\u9452\u9460\u9463\u9470\u9472\u9477\u947C\u947D\u947E\u947F\u9577\u9580\u9582\u9583\u9589\u958B\u958E\u958F\u9591\u9592\u9593\u9594\u9598\u95A1\u95A3\u95A4\u95A5\u95A8\u95A9\u95AD\u95B1\u95B2\u95B9\u95BB\u95C6\u95C7\u95C8\u95CA\u95CB\u95CC\u95D0\u95D4\u95D5\u95D6\u95DC\u95E1\u95E2\u9658\u965D\u965E\u9663\u9670\u9673\u9678\u967D\u968A\u968E\u9695\u969B\u96A8\u96AA\u96B1\u96B4\u96B8\u96BB\u96CB\u96D6\u96D9\u96DB\u96DC\u96DE\u96E2\u96E3\u96F2\u96FB\u9711\u9727\u973D\u9742\u9744\u9748\u975C\u9766\u9768\u978F\u97A6\u97C1\u97C3\u97C6\u97C9\u97CB\u97CC\u97D3\u97DC\u97FB\u97FF\u9801\u9802\u9803\u9805\u9806\u9808\u980A\u980C\u9810\u9811\u9812\u9813\u9817\u9818\u981C\u9821\u9824\u982D\u9830\u9837\u9838\u9839\u983B\u983D\u9846\u984C\u984D\u984E\u984F\u9853\u9854\u9858\u985B\u985E\u9865\u9867\u986B\u986F\u9870\u9871\u9874\u98A8\u98AF\u98B1\u98B3\u98B6\u98BA\u98BC\u98C4\u98DB\u98E2\u98E9\u98EA\u98ED\u98EF\u98F2\u98F4\u98FC\u98FD\u98FE\u9903\u9905\u9909\u990A\u990C\u9912\u9913\u9918\u991A\u991B\u991E\u9921\u9928\u992C\u9935\u993E\u993F\u9945\u9949\u994B\u9951\u9952\u9957\u995C\u995E\u99AC\u99AD\u99AE\u99B1\u99B3\u99B4\u99C1\u99D0\u99D1\u99D2\u99D5\u99D9\u99DB\u99DD\u99DF\u99E1\u99E2\u99ED\u99F1\u99FF\u9A01\u9A0E\u9A16\u9A19\u9A2B\u9A30\u9A37\u9A3E\u9A40\u9A43\u9A45\u9A4D\u9A55\u9A57\u9A5A\u9A5B\u9A5F\u9A62\u9A65\u9A6A\u9AAF\u9ACF\u9AD2\u9AD4\u9AD6\u9AEE\u9B06\u9B0D\u9B1A\u9B22\u9B25\u9B27\u9B28\u9B31\u9B4E\u9B58\u9B5A\u9B6F\u9B77\u9B91\u9BAA\u9BAB\u9BAD\u9BAE\u9BC0\u9BC9\u9BCA\u9BD6\u9BDB\u9BE7\u9BE8\u9BFD\u9C0D\u9C13\u9C25\u9C2D\u9C31\u9C3B\u9C3E\u9C49\u9C54\u9C56\u9C57\u9C5F\u9C77\u9C78\u9CE5\u9CE9\u9CF3\u9CF4\u9CF6\u9D06\u9D09\u9D12\u9D15\u9D1B\u9D23\u9D26\u9D28\u9D3B\u9D3F\u9D51\u9D5D\u9D60\u9D61\u9D6A\u9D6C\u9D70\u9D72\u9D89\u9DAF\u9DB4\u9DC2\u9DC4\u9DD3\u9DD7\u9DE5\u9DF9\u9DFA\u9E1A\u9E1B\u9E1E\u9E75\u9E79\u9E7C\u9E7D\u9E97\u9EA5\u9EA9\u9EAA\u9EAB\u9EAF\u9EB4\u9EB5\u9EBC\u9EBD\u9EC3\u9ECC\u9EDE\u9EE8\u9EF4\u9EF7\u9F15\u9F34\u9F4A\u9F4B\u9F52\u9F5C\u9F5F\u9F61\u9F63\u9F66\u9F67\u9F6A\u9F6C\u9F72\u9F77\u9F8D\u9F90\u9F94\u9F9C";
var SIMPLIFIED = "\u4E22\u5E76\u5E72\u4E71\u4E98\u4E9A\u4F2B\u5E03\u5360\u5E76\u6765\u4ED1\u4FA3\u5C40\u7CFB\u4FA0\u79C1\u4F25\u4FE9\u4ED3\u4E2A\u4EEC\u5E78\u4F26\u4F1F\u4FA7\u4FA6\u4F2A\u6770\u4F27\u4F1E\u5907\u5BB6\u4F63\u506C\u4F20\u503A\u4F24\u503E\u4EC5\u4FA8\u4EC6\u4F2A\u4FA5\u96C7\u4EF7\u4EEA\u4FCA\u4FAC\u4EBF\u4FA9\u4FED\u50A7\u4FE6\u4FAA\u5C3D\u507F\u4F18\u50A8\u4FEA\u50A5\u4FE8\u51F6\u5151\u513F\u5156\u5185\u4E24\u518C\u80C4\u5E42\u51C0\u51BB\u51DB\u51EF\u522B\u5220\u5219\u514B\u5239\u521A\u5265\u5250\u5240\u521B\u94F2\u5212\u672D\u5267\u5218\u523D\u5251\u5242\u52B2\u52A8\u52A1\u52CB\u80DC\u52B3\u52BF\u52CB\u52B1\u529D\u5300\u6C47\u532E\u533A\u534F\u6064\u5374\u5373\u5395\u5386\u538C\u5389\u53C2\u53C1\u4E1B\u54A4\u5434\u5450\u5415\u5458\u5FF5\u95EE\u542F\u54D1\u542F\u5524\u4E27\u5403\u4E54\u5355\u54DF\u545B\u556C\u5417\u545C\u54D4\u53F9\u55BD\u5455\u5567\u5C1D\u54D7\u5520\u5578\u53FD\u6076\u5618\u54DD\u55F3\u55B7\u5428\u5F53\u549B\u5413\u5C1D\u565C\u556E\u54BD\u5499\u5411\u4E25\u5624\u556D\u55EB\u56A3\u5453\u5570\u82CF\u5631\u56F1\u56FD\u56F4\u56ED\u5706\u56FE\u56E2\u575D\u91C7\u6267\u575A\u57A9\u57DA\u5C27\u62A5\u573A\u5757\u8314\u57D8\u6D82\u51A2\u575E\u5C18\u5811\u57AB\u5760\u5815\u575B\u575F\u5899\u57A6\u575B\u57D9\u538B\u5792\u5739\u575B\u574F\u5784\u575C\u575D\u58EE\u58F6\u5BFF\u591F\u68A6\u4F19\u5939\u5942\u5965\u5941\u593A\u5956\u594B\u5986\u59D7\u5978\u5A31\u5A04\u5987\u5A32\u5AAA\u5988\u59AA\u59A9\u5A34\u5A06\u5A75\u5A07\u5B37\u5AD4\u5A74\u5A76\u5A18\u5B59\u5B66\u5B6A\u5BAB\u91C7\u5BDD\u5B9E\u5B81\u5BA1\u5199\u5BBD\u5BA0\u5B9D\u5C06\u4E13\u5BFB\u5BF9\u5BFC\u5C34\u5C4A\u5C38\u5C49\u5C61\u5C42\u5C66\u5C5E\u5188\u5CF0\u5C98\u5C9B\u5CE1\u6606\u5C97\u4ED1\u5CE5\u5C9A\u5C81\u5D2D\u5C96\u5D5A\u5D58\u5CAD\u5C7F\u5CB3\u5CBF\u5CE6\u5DC5\u5CA9\u5E05\u5E08\u5E10\u5E26\u5E27\u5E0F\u5E3C\u5E1C\u5E01\u5E2E\u5E76\u5E72\u51E0\u5E93\u5395\u53A2\u53A9\u53A6\u836B\u53A8\u53AE\u5E99\u5382\u5E9F\u5E7F\u5E90\u5385\u5F11\u540A\u5F20\u5F3A\u522B\u5F39\u5F25\u5F2F\u5F55\u6C47\u5F66\u96D5\u4F5B\u540E\u5F84\u4ECE\u5F95\u590D\u5F81\u5F7B\u6052\u803B\u60A6\u6005\u95F7\u51C4\u6076\u607C\u607B\u7231\u60EC\u6006\u607A\u5FFE\u6817\u6001\u6120\u60E8\u60ED\u6078\u60EF\u6002\u8651\u5E86\u621A\u6B32\u5FE7\u60EB\u601C\u51ED\u60EE\u6124\u60AF\u6003\u5BAA\u5FC6\u6073\u5E94\u61D4\u8499\u61D1\u60E9\u61D2\u6000\u60AC\u5FCF\u60E7\u6151\u604B\u6218\u620F\u6237\u634D\u629B\u62FC\u631F\u820D\u626A\u6328\u5377\u626B\u62A1\u6323\u6302\u91C7\u62E3\u626C\u6362\u6325\u635F\u6447\u6363\u6247\u62A2\u63B4\u6402\u631A\u62A0\u6298\u63BA\u635E\u6491\u6320\u63B8\u62E8\u629A\u6251\u63FF\u631E\u631D\u6361\u62E5\u63B3\u62E9\u51FB\u6321\u62C5\u636E\u6324\u62AC\u6363\u62DF\u6448\u62E7\u6401\u63B7\u6269\u64B7\u6446\u64DE\u6270\u64B5\u62E2\u62E6\u6400\u643A\u6444\u6512\u631B\u644A\u6405\u63FD\u6559\u8D25\u53D9\u654C\u6570\u655B\u6BD9\u6593\u65A9\u65AD\u4E8E\u65D7\u65E2\u5347\u65F6\u664B\u663C\u6655\u6656\u65F8\u7545\u6682\u6654\u5386\u6619\u6653\u5411\u66A7\u65F7\u6652\u4E66\u4F1A\u80E7\u672F\u4E1C\u62D0\u6805\u62D0\u67E5\u6746\u6800\u6761\u67AD\u5F03\u68CB\u67A3\u680B\u6808\u6816\u6768\u67AB\u6862\u4E1A\u6781\u77E9\u5E72\u8363\u6784\u67AA\u6760\u6901\u6868\u6869\u4E50\u679E\u6881\u697C\u6807\u67A2\u6837\u6734\u6811\u6866\u6861\u6865\u673A\u692D\u6A2A\u6863\u6867\u68C0\u6A2F\u68BC\u53F0\u69DF\u67E0\u69DB\u67DC\u6A79\u6988\u6809\u691F\u6A71\u6987\u6A31\u680F\u6743\u6984\u94A6\u53F9\u6B27\u6B24\u6B22\u5C81\u5386\u5F52\u6B81\u6B8B\u6B87\u50F5\u6B93\u6BA1\u6B7C\u6740\u58F3\u58F3\u6BC1\u6BB4\u6BE1\u6C14\u6C22\u6C29\u6C32\u6CDB\u6CDB\u6C61\u51B3\u6CA1\u51B2\u51B5\u6EAF\u6CC4\u6C79\u6D43\u6CFE\u51C9\u51C4\u6CEA\u51C0\u51CC\u6CA6\u6E0A\u6D45\u6DA3\u51CF\u6DA1\u6D4B\u6D51\u51D1\u6D8C\u6C64\u51C6\u6C9F\u6E29\u6E7F\u6CA7\u706D\u6DA4\u6C47\u6CAA\u6EDE\u6E17\u5364\u6EDA\u6EE1\u6E14\u6CA4\u6C49\u6D9F\u6E0D\u6DA8\u6E10\u6D46\u6CFC\u6D01\u6F5C\u6DA6\u6D54\u6E83\u6DA9\u6D47\u6D9D\u6DA7\u6E11\u6CFD\u6EEA\u6DC0\u6D4A\u6D53\u6E7F\u6CDE\u8499\u6D4E\u6D9B\u6EE5\u6F4D\u6EE8\u6E85\u6EE4\u6E0E\u6CFB\u6C88\u6D4F\u6FD2\u6CF8\u6CA5\u6F47\u6FD1\u5F25\u6F4B\u6F9C\u6D12\u6F13\u6EE9\u6E7E\u6EE6\u707E\u4E3A\u4E4C\u70C3\u65E0\u70BC\u70DF\u7115\u70E6\u7080\u8367\u70ED\u70BD\u706F\u7096\u70E7\u70EB\u7116\u8425\u707F\u6BC1\u70DB\u70E9\u718F\u70EC\u7118\u70C1\u7089\u70C2\u4E89\u4E3A\u7237\u5C14\u5E8A\u5899\u724D\u62B5\u7275\u8366\u7266\u728A\u727A\u72B6\u72ED\u72C8\u72F0\u72B9\u5446\u72F1\u72EE\u5956\u72EC\u72DE\u83B7\u730E\u72B7\u517D\u736D\u732E\u7321\u73B0\u96D5\u73D0\u73F2\u7410\u7476\u83B9\u739B\u7391\u7477\u73AF\u73BA\u7487\u743C\u73D1\u748E\u74D2\u74EF\u74EE\u4EA7\u4EA7\u4EA9\u6BD5\u753B\u5F02\u753B\u5F53\u7574\u53E0\u75C9\u9178\u75AF\u75A1\u75EA\u75AE\u759F\u7618\u7597\u75E8\u6108\u75A0\u762A\u75F4\u75D2\u75C7\u765E\u7663\u763E\u75C8\u762B\u766B\u53D1\u7682\u7691\u75B1\u76B1\u676F\u76D7\u76CF\u5C3D\u76D1\u76D8\u5362\u8361\u771F\u4F17\u56F0\u7741\u7750\u7792\u7751\u8499\u772C\u77A9\u77EB\u6731\u781A\u7855\u786E\u7801\u7816\u789B\u77F6\u7840\u788D\u77FF\u783A\u783E\u77FE\u79D8\u7984\u7978\u796F\u5FA1\u7985\u793C\u7977\u79C3\u7C7C\u7A0E\u79C6\u68F1\u7980\u79CD\u79F0\u8C37\u7A23\u79EF\u9896\u79FE\u7A51\u79FD\u7A33\u83B7\u7A9D\u6D3C\u7A77\u7A91\u7AA5\u7A9C\u7A8D\u7AA6\u7076\u7A83\u7AD6\u7ADE\u7B14\u7B0B\u7B15\u4E2A\u7B3A\u7B5D\u672D\u8282\u8303\u7B51\u7B7F\u7B03\u7B5B\u7BD3\u84D1\u7BAA\u7B80\u7BD1\u7BAB\u7B7E\u5E18\u7BEE\u7B79\u7C41\u7B3C\u7B7E\u7BF1\u7BA9\u5401\u7CA4\u7CC1\u7CAA\u7CAE\u56E2\u7EA0\u7EAA\u7EA3\u7EA6\u7EA2\u7EA1\u7EA5\u7EAB\u7EB9\u7EB3\u7EBD\u7EAF\u7EB0\u7EB1\u7EB8\u7EA7\u7EB7\u7EAD\u7EBA\u624E\u7EC6\u7EC2\u7EC1\u7EC5\u7ECD\u7ECB\u7ECC\u7EC8\u5F26\u7EC4\u7ECA\u7ED3\u7EDD\u7EE6\u7EDE\u7EDC\u7EDA\u7ED9\u7ED2\u7ED6\u7EDF\u4E1D\u7EDB\u7EDD\u7EE2\u7ED1\u7EE3\u7EE5\u6346\u7ECF\u7EFC\u7F0D\u7EFF\u7EF8\u7EBF\u7EF6\u7EF4\u7EFE\u7EB2\u7F51\u7EF7\u7F00\u5F69\u7EB6\u7EEE\u7EFD\u7EF0\u7EEB\u7EF5\u7F01\u7D27\u7EFF\u7EEA\u7F04\u7F02\u7EBF\u7F09\u7F0E\u7F14\u7F18\u7F16\u7F13\u7F05\u7EAC\u7F08\u7EC3\u7F07\u81F4\u8426\u7F19\u7F22\u7EC9\u7F23\u7F1A\u7F1C\u7F1F\u53BF\u7EE6\u7F1D\u7F29\u7EB5\u7F27\u7EA4\u7F26\u7F15\u7F25\u603B\u7EE9\u7EF7\u7F2B\u7F2A\u7F2F\u7EC7\u7F2E\u7F2D\u7ED5\u7EE3\u7EF3\u7ED8\u7CFB\u8327\u7F34\u7ECE\u7EE7\u7F24\u7EED\u7D2F\u7F20\u7F28\u624D\u7EA4\u7F06\u94B5\u575B\u7F42\u575B\u7F5A\u9A82\u7F62\u7F57\u7F81\u8288\u7FA4\u7FA1\u4E49\u81BB\u4E60\u73A9\u7FD8\u5723\u95FB\u8054\u806A\u58F0\u8038\u8042\u804C\u542C\u804B\u8083\u80C1\u8109\u5507\u4FEE\u8131\u80C0\u80BE\u8111\u80BF\u811A\u80A0\u80A4\u80F6\u817B\u80C6\u810D\u8113\u8138\u8110\u8191\u814A\u80EA\u810F\u81DC\u5367\u4E34\u53F0\u4E0E\u5174\u4E3E\u65E7\u94FA\u9986\u8231\u8230\u8270\u8273\u520D\u82CE\u5179\u8346\u5E84\u830E\u835A\u82CB\u534E\u5EB5\u70DF\u82CC\u83B1\u4E07\u83B4\u53F6\u82C7\u836F\u8364\u641C\u8385\u82CD\u836A\u5E2D\u76D6\u83B2\u535C\u53C2\u848B\u8471\u836B\u8361\u829C\u8427\u84DF\u59DC\u8537\u8350\u8428\u82D4\u8360\u84DD\u827A\u836F\u85AE\u8574\u853C\u853A\u82A6\u82CF\u8574\u82F9\u85D3\u5170\u841D\u5904\u865A\u864F\u53F7\u4E8F\u8715\u86AC\u8680\u867E\u8671\u8717\u8682\u8424\u877C\u86F0\u8748\u8749\u86F2\u866B\u8681\u8747\u874E\u869D\u8721\u86CE\u86CA\u8695\u86EE\u4F17\u8511\u672F\u540C\u80E1\u536B\u51B2\u886E\u5939\u8885\u91CC\u8865\u88C5\u91CC\u5236\u590D\u88E4\u891B\u4EB5\u8884\u88C6\u8934\u889C\u6446\u886C\u88AD\u6838\u89C1\u89C4\u89C5\u89C6\u89CE\u4EB2\u89CA\u89D0\u89C9\u89C8\u89C2\u89DE\u89E6\u8BA2\u8BA3\u8BA1\u8BAF\u8BA7\u8BA8\u8BA6\u8BAD\u8BAA\u8BAB\u6258\u8BB0\u8BB9\u8BB6\u8BBC\u8BC0\u8BB7\u8BBF\u8BBE\u8BB8\u8BC9\u8BC3\u8BCA\u6CE8\u8BC1\u8BC2\u8BCB\u8BC8\u8BCF\u8BC4\u8BD0\u8BC5\u8BCD\u548F\u8BE2\u8BE3\u8BD5\u8BD7\u8BE7\u8BDF\u8BE1\u8BE0\u8BD8\u8BDD\u8BE5\u8BE6\u8BD9\u8BDB\u5938\u5FD7\u8BA4\u8BF3\u8BDE\u8BF1\u8BEE\u8BED\u8BDA\u8BEB\u8BEC\u8BEF\u8BF0\u8BF5\u8BF2\u8BF4\u8BF4\u8C01\u8BFE\u8C07\u8BFD\u8C0A\u8C03\u8C04\u8C06\u8C08\u8BFF\u8BF7\u8BE4\u8C05\u8BBA\u8C00\u8C0D\u8C1B\u8C10\u8C0F\u8C15\u54A8\u8BB3\u8C19\u8C0C\u8BBD\u8BF8\u8C1A\u8C16\u8BFA\u8C0B\u8C12\u8C13\u8A8A\u8BCC\u8C0E\u8C1C\u8C27\u8C24\u8C26\u8BB2\u8C22\u8C23\u8C23\u8C1F\u8C2A\u8C2C\u8C28\u8C29\u54D7\u8BC1\u8C32\u8BA5\u8BC6\u8C2F\u8C2D\u8C31\u566A\u8C35\u6BC1\u8BD1\u8BAE\u8C34\u62A4\u8A89\u8BFB\u53D8\u8C17\u8BA9\u8C30\u8C36\u8D5E\u8C20\u6EAA\u5C82\u7AD6\u4E30\u8273\u732A\u72F8\u732B\u8D1D\u8D1E\u8D1F\u8D22\u8D21\u8D2B\u8D27\u8D29\u8D2A\u8D2F\u8D23\u8D2E\u8D40\u8D30\u8D35\u8D2C\u4E70\u8D37\u8D39\u8D34\u8D3B\u8D38\u8D3A\u8D32\u8D42\u8D41\u8D3F\u8D45\u8D44\u8D3E\u8D3C\u8D48\u8D4A\u5BBE\u8D50\u8D4F\u8D54\u8D53\u8D24\u5356\u8D31\u8D4B\u8D28\u8D26\u8D4C\u8D56\u8D5A\u8D59\u8D2D\u8D5B\u8D58\u8D60\u8D5E\u8D61\u8D62\u8D43\u8D4E\u8D5D\u8D63\u8D43\u8D76\u8D75\u8D8B\u8FF9\u8DF5\u903E\u8E0A\u8DF8\u8FF9\u8E52\u8E2A\u8DF7\u8DF6\u8DB8\u8E0C\u8DFB\u8DC3\u8E2F\u8E2C\u8E51\u8E7F\u8E8F\u8EAF\u8F66\u8F67\u8F68\u519B\u8F69\u8F6B\u8F6D\u8F6F\u8F74\u8F72\u8F76\u8F7C\u8F83\u8F7D\u8F7E\u8F84\u633D\u8F85\u8F7B\u8F86\u8F8E\u8F89\u8F8B\u8F8D\u8F8A\u8F87\u8F88\u8F6E\u8F91\u8F8F\u8F93\u8F90\u8F97\u8206\u6BC2\u8F96\u8F95\u8F6C\u8F99\u8F7F\u8F9A\u8F70\u8F94\u529E\u8F9E\u8FAB\u8FA9\u519C\u56DE\u5F84\u8FD9\u8FDE\u5468\u8FDB\u6E38\u8FD0\u8FC7\u8FBE\u8FDD\u9065\u900A\u9012\u8FDC\u6EAF\u9002\u8FDF\u7ED5\u8FC1\u9009\u9057\u8FBD\u8FC8\u8FD8\u8FE9\u8FB9\u903B\u9026\u90AE\u4E61\u90B9\u90E7\u9093\u90D1\u90BB\u90F8\u90BA\u90E6\u814C\u915D\u4E11\u915D\u7CD6\u533B\u9171\u9166\u917F\u8845\u917D\u91CA\u5398\u948A\u9489\u948B\u9488\u9493\u6263\u948F\u9492\u9497\u948E\u94A5\u94A0\u949D\u94A9\u94A4\u94A3\u949E\u94AE\u94A7\u949F\u9499\u94C3\u94B4\u94B9\u94CD\u94B8\u94C0\u94BF\u94BE\u5DE8\u94BB\u94C9\u94C7\u94CB\u94C2\u94B3\u94C6\u94C5\u94B5\u94A9\u94F0\u94EC\u94F6\u94DC\u94E3\u94E8\u94E2\u94ED\u8854\u94F1\u94F5\u94D0\u9510\u9500\u9508\u9511\u9509\u94DD\u950C\u94A1\u950B\u9504\u94FA\u9510\u9502\u952F\u94A2\u5F55\u9525\u951F\u9524\u9531\u94EE\u952D\u951C\u94B1\u9526\u951A\u9521\u9522\u9519\u5F55\u9530\u8868\u9528\u70BC\u9505\u9540\u9537\u94E1\u9496\u953B\u9532\u9539\u953E\u952E\u9517\u9488\u949F\u9541\u9551\u9570\u9555\u9501\u9549\u9524\u94A8\u9550\u9547\u9547\u9552\u954D\u955E\u65CB\u94FE\u9559\u955D\u94FF\u9535\u9557\u9558\u94F2\u955C\u9556\u9542\u933E\u9508\u94D9\u9563\u949F\u954C\u9570\u956F\u956D\u94C1\u94CE\u94DB\u94F8\u9274\u9274\u94C4\u9573\u94A5\u9576\u954A\u9523\u94BB\u92AE\u51FF\u957F\u95E8\u95E9\u95EA\u95ED\u5F00\u95F3\u95F0\u95F2\u95F2\u95F4\u95F5\u95F8\u9602\u9601\u5408\u9600\u95FA\u95FD\u95FE\u9605\u9605\u9609\u960E\u677F\u6697\u95F1\u9614\u9615\u9611\u9617\u9616\u9619\u95EF\u5173\u9610\u8F9F\u9649\u9655\u5347\u9635\u9634\u9648\u9646\u9633\u961F\u9636\u9668\u9645\u968F\u9669\u9690\u9647\u96B6\u53EA\u96BD\u867D\u53CC\u96CF\u6742\u9E21\u79BB\u96BE\u4E91\u7535\u6CBE\u96FE\u9701\u96F3\u972D\u7075\u9759\u817C\u9765\u5DE9\u79CB\u7F30\u9791\u5343\u97AF\u97E6\u97E7\u97E9\u97EC\u97F5\u54CD\u9875\u9876\u9877\u9879\u987A\u987B\u987C\u9882\u9884\u987D\u9881\u987F\u9887\u9886\u988C\u9889\u9890\u5934\u988A\u9894\u9888\u9893\u9891\u9893\u9897\u9898\u989D\u989A\u989C\u989B\u989C\u613F\u98A0\u7C7B\u98A2\u987E\u98A4\u663E\u98A6\u9885\u98A7\u98CE\u98D2\u53F0\u522E\u98D3\u98CF\u98D5\u98D8\u98DE\u9965\u9968\u996A\u996C\u996D\u996E\u9974\u9972\u9971\u9970\u997A\u997C\u9977\u517B\u9975\u9981\u997F\u4F59\u80B4\u9984\u996F\u9985\u9986\u7CCA\u5582\u998F\u998A\u9992\u9991\u9988\u9965\u9976\u98E8\u990D\u998B\u9A6C\u9A6D\u51AF\u9A6E\u9A70\u9A6F\u9A73\u9A7B\u9A7D\u9A79\u9A7E\u9A78\u9A76\u9A7C\u9A77\u9A82\u9A88\u9A87\u9A86\u9A8F\u9A8B\u9A91\u9A9B\u9A97\u9A9E\u817E\u9A9A\u9AA1\u84E6\u9AA0\u9A71\u9A81\u9A84\u9A8C\u60CA\u9A7F\u9AA4\u9A74\u9AA5\u9A8A\u80AE\u9AC5\u810F\u4F53\u9ACB\u53D1\u677E\u80E1\u987B\u9B13\u6597\u95F9\u54C4\u90C1\u9B49\u9B47\u9C7C\u9C81\u9C7F\u9C8D\u9C94\u9C9B\u9C91\u9C9C\u9CA7\u9CA4\u9CA8\u9CAD\u9CB7\u9CB3\u9CB8\u9CAB\u9CC5\u9CC3\u9CCF\u9CCD\u9CA2\u9CD7\u9CD4\u9CD6\u9CDD\u9CDC\u9CDE\u9C8E\u9CC4\u9C88\u9E1F\u9E20\u51E4\u9E23\u9E22\u9E29\u9E26\u9E30\u9E35\u9E33\u9E2A\u9E2F\u9E2D\u9E3F\u9E3D\u9E43\u9E45\u9E44\u9E49\u9E4C\u9E4F\u96D5\u9E4A\u9E51\u83BA\u9E64\u9E5E\u9E21\u9E67\u9E25\u9E36\u9E70\u9E6D\u9E66\u9E73\u9E3E\u5364\u54B8\u78B1\u76D0\u4E3D\u9EA6\u9EB8\u9762\u9762\u66F2\u66F2\u9762\u4E48\u4E48\u9EC4\u9EC9\u70B9\u515A\u9709\u9EE9\u51AC\u9F39\u9F50\u658B\u9F7F\u9F87\u9F83\u9F84\u51FA\u9F88\u556E\u9F8A\u9F89\u9F8B\u9F8C\u9F99\u5E9E\u9F9A\u9F9F";
var simplifiedForms = new Map(
  Array.from(TRADITIONAL, (character, place) => [character, SIMPLIFIED[place]])
);
function simplifiedChinese(text) {
  return text.replace(/\p{Script=Han}/gu, (character) => simplifiedForms.get(character) ?? character);
}

// src/domain/text/fold.ts
var MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u093c]/g;
var ARABIC_NON_JOINER = /(?<=[\p{Script=Arabic}\p{M}])\u200c(?=\p{Script=Arabic})/gu;
var INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;
var NUMBER_BESIDE_DIGITS = /(?<=\p{Nd})(?=\p{No})/gu;
var HEBREW_ACRONYM = /(?<=\p{Script=Hebrew})["'’׳״](?=\p{Script=Hebrew})/gu;
var SPELLINGS = [
  "\xDF ss \u1E9E SS \xE6 ae \xC6 AE \u0153 oe \u0152 OE \xF8 o \xD8 O \u0142 l \u0141 L \u0131 i \u0111 d \u0110 D \xF0 d \xD0 D \xFE th \xDE TH \u0127 h \u0126 H \u03C2 \u03C3",
  "\u0671 \u0627 \u0629 \u0647 \u0649 \u064A \u06A9 \u0643 \u06CC \u064A \u06D2 \u064A \u06C1 \u0647 \u06D5 \u0647 \u06BE \u0647 \u066B . \u066C ,",
  "\u0901 \u0902"
];
var LETTERS = new Map(
  SPELLINGS.flatMap((line) => {
    const spellings = line.split(" ");
    return spellings.flatMap((letter, i) => i % 2 === 0 ? [[letter, spellings[i + 1]]] : []);
  })
);
var LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");
var DIGIT = /(?![0-9])\p{Nd}/gu;
function fold(text) {
  return lowered(foldExceptCase(text));
}
function foldExceptCase(text) {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const composed = text.replace(NUMBER_BESIDE_DIGITS, " ").normalize("NFKD").replace(ARABIC_NON_JOINER, " ").replace(INVISIBLE, "").replace(MARKS, "").replace(HEBREW_ACRONYM, "").normalize("NFC");
  const spelled = composed.replace(LETTER, (letter) => LETTERS.get(letter)).replace(DIGIT, asciiDigit);
  return simplifiedChinese(spelled);
}
function lowered(text) {
  return text.toLowerCase().replaceAll("\u03C2", "\u03C3");
}
function asciiDigit(digit) {
  const code = digit.codePointAt(0);
  let first2 = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first2 - 1))) first2--;
  return String((code - first2) % 10);
}

// src/domain/text/porter2.ts
var VOWELS = "aeiouy";
var DOUBLES = /* @__PURE__ */ new Set(["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"]);
var VALID_LI = "cdeghkmnrt";
var IRREGULAR = new Map([
  ["skis", "ski"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["idly", "idl"],
  ["gently", "gentl"],
  ["ugly", "ugli"],
  ["early", "earli"],
  ["only", "onli"],
  ["singly", "singl"],
  ...["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"].map((word) => [word, word])
]);
var FINISHED_AFTER_PLURAL = /* @__PURE__ */ new Set([
  "inning",
  "outing",
  "canning",
  "herring",
  "earring",
  "proceed",
  "exceed",
  "succeed"
]);
var STEP_2 = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["li", ""]
];
var STEP_3 = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ative", ""],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""]
];
var STEP_4 = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "ion",
  "al",
  "er",
  "ic"
];
function stem(word) {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== void 0) return irregular;
  const marked2 = markConsonantY(word);
  const r1 = firstRegion(marked2);
  const r2 = regionAfter(marked2, r1);
  const singular = removePlural(marked2);
  if (FINISHED_AFTER_PLURAL.has(singular)) return singular;
  let w = removeInflection(singular, r1);
  w = vocalizeFinalY(w);
  w = replaceSuffix(w, STEP_2, r1, (suffix, base) => {
    if (suffix === "li") return VALID_LI.includes(base.at(-1) ?? " ");
    return suffix !== "ogi" || base.endsWith("l");
  });
  w = replaceSuffix(w, STEP_3, r1, (suffix, base) => suffix !== "ative" || base.length >= r2);
  w = removeDerivation(w, r2);
  return removeFinal(w, r1, r2).toLowerCase();
}
function isVowel(letter) {
  return letter !== void 0 && VOWELS.includes(letter);
}
function markConsonantY(word) {
  if (!word.includes("y")) return word;
  let out = "";
  for (const letter of word) out += letter === "y" && (out === "" || isVowel(out.at(-1))) ? "Y" : letter;
  return out;
}
function firstRegion(word) {
  const prefix = /^(?:gener|commun|arsen)/.exec(word);
  return prefix ? prefix[0].length : regionAfter(word, 0);
}
function regionAfter(word, from) {
  for (let i = from + 1; i < word.length; i++) {
    if (!isVowel(word[i]) && isVowel(word[i - 1])) return i + 1;
  }
  return word.length;
}
function hasVowel(text) {
  return /[aeiouy]/.test(text);
}
function endsInShortSyllable(word) {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word);
}
function removePlural(w) {
  if (w.endsWith("sses")) return w.slice(0, -2);
  if (w.endsWith("ied") || w.endsWith("ies")) return w.slice(0, w.length > 4 ? -2 : -1);
  if (w.endsWith("us") || w.endsWith("ss")) return w;
  return w.endsWith("s") && hasVowel(w.slice(0, -2)) ? w.slice(0, -1) : w;
}
function removeInflection(w, r1) {
  const eed = /eed(?:ly)?$/.exec(w);
  if (eed) return eed.index >= r1 ? `${w.slice(0, eed.index)}ee` : w;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(w);
  if (!suffix || !hasVowel(w.slice(0, suffix.index))) return w;
  const base = w.slice(0, suffix.index);
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLES.has(base.slice(-2))) return /^[aeo]..$/.test(base) ? base : base.slice(0, -1);
  return base.length <= r1 && endsInShortSyllable(base) ? `${base}e` : base;
}
function vocalizeFinalY(w) {
  return w.length > 2 && /[^aeiouy][yY]$/.test(w) ? `${w.slice(0, -1)}i` : w;
}
function replaceSuffix(w, suffixes, region, allowed) {
  for (const [suffix, replacement] of suffixes) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return base.length >= region && allowed(suffix, base) ? base + replacement : w;
  }
  return w;
}
function removeDerivation(w, r2) {
  for (const suffix of STEP_4) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return base.length >= r2 && (suffix !== "ion" || /[st]$/.test(base)) ? base : w;
  }
  return w;
}
function removeFinal(w, r1, r2) {
  const base = w.slice(0, -1);
  if (w.endsWith("e")) {
    return base.length >= r2 || base.length >= r1 && !endsInShortSyllable(base) ? base : w;
  }
  return w.endsWith("ll") && base.length >= r2 ? base : w;
}

// src/domain/text/stop-words.ts
var STOP_WORDS = new Set(
  "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having do does did doing a an the and but if or because as until while of at by for with about against between into through during before after above below to from up down in out on off over under again further then once here there when where why how all any both each few more most other some such no nor not only own same so than too very s t can will just don should now would could also may might shall must cannot im ive ll ve re m d didn doesn isn wasn aren won couldn wouldn let us many much get got".split(" ")
);

// src/domain/text/truncate.ts
function truncate(text, maxLength5) {
  if (text.length <= maxLength5) return text;
  const last = text.charCodeAt(maxLength5 - 1);
  return text.slice(0, last >= 55296 && last <= 56319 ? maxLength5 - 1 : maxLength5);
}

// src/domain/text/word-forms.ts
var LEAST_PART_LENGTH = 2.5;
function camelCaseParts(word) {
  if (!/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word)) return [];
  const parts2 = word.match(/\p{Lu}+(?=\p{Lu}\p{Ll}{2})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+s?\p{N}*|\p{N}+/gu) ?? [];
  if (parts2.length < 2 || parts2.length * LEAST_PART_LENGTH > word.length) return [];
  return parts2.filter((part) => part.length > 1).map((part) => part.toLowerCase());
}
var ARTICLES = ["\u0648\u0627\u0644", "\u0628\u0627\u0644", "\u0643\u0627\u0644", "\u0641\u0627\u0644", "\u0627\u0644", "\u0644\u0644"];
var SUFFIXES = ["\u0647\u0627", "\u0627\u0646", "\u0627\u062A", "\u0648\u0646", "\u064A\u0646", "\u064A\u0647", "\u0647", "\u064A"];
var ARABIC_PROCLITIC = /^[وفبلك](?=.{3})/u;
function arabicForms(word) {
  const stem2 = lightStem(word);
  const withoutProclitic = lightStem(word.replace(ARABIC_PROCLITIC, ""));
  return stem2 === withoutProclitic ? [stem2] : [stem2, withoutProclitic];
}
function lightStem(word) {
  const article = ARTICLES.find((prefix) => word.startsWith(prefix) && word.length >= prefix.length + 2);
  let stem2 = article === void 0 ? word : word.slice(article.length);
  for (const suffix of SUFFIXES)
    if (stem2.endsWith(suffix) && stem2.length >= suffix.length + 2) stem2 = stem2.slice(0, -suffix.length);
  return stem2;
}
var HEBREW_PROCLITIC = /^[והבלכמש](?=.{3})/u;
var HEBREW_PROCLITICS = /^[ושכמ][הבלכמש](?=.{3})/u;
function hebrewForms(word) {
  return [.../* @__PURE__ */ new Set([word, word.replace(HEBREW_PROCLITIC, ""), word.replace(HEBREW_PROCLITICS, "")])];
}
var PARTICLES = new Set(Array.from("\uC740\uB294\uC774\uAC00\uC744\uB97C\uC758\uC5D0\uB3C4\uB85C\uC640\uACFC\uB9CC"));
function nounOfOneSyllable(word) {
  return /^\p{Script=Hangul}{2}$/u.test(word) && PARTICLES.has(word[1]) ? [word[0]] : [];
}
function pairs(word) {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

// src/domain/text/written-numbers.ts
var GROUPED_NUMBERS = [
  String.raw`(?<![\p{L}\p{N}.,'’])\d{1,3}(?:(?:,\d{2})*,\d{3}|(?:[,'’]\d{3})+)(?:\.\d+)?(?![.,'’]?\d)`,
  String.raw`(?<![\p{L}\p{N}.,'’])\d{1,3}(?:\.\d{3})+,\d{1,2}(?![.,'’]?\d)`
];
var GROUPED = /^\d{1,3}[,'’]|,\d{1,2}$/;
function ungrouped(word) {
  if (!GROUPED.test(word)) return word;
  const isContinental = word.includes(".") && /,\d{1,2}$/.test(word);
  const plain2 = isContinental ? word.replaceAll(".", "").replace(",", ".") : word.replaceAll(/[,'’]/g, "");
  return plain2.replace(/\.0+$/, "");
}
function groupsOf(word) {
  return /^\d{3}(?:,\d{3})+$/.test(word) ? word.split(",") : [];
}
function otherNumbers(word) {
  if (/^\d+\.00$/.test(word)) return [word.slice(0, -3)];
  if (/^\d{1,3}(?:\.\d{3})+$/.test(word)) return [word.replaceAll(".", "")];
  return /^0x[\da-f]{2,}$/.test(word) ? [word.slice(2)] : [];
}

// src/domain/text/tokens.ts
var MAX_TERM_LENGTH = 64;
var MAX_DISTINCT_TERMS = 8192;
var script = (...names2) => `[${names2.map((name) => `\\p{scx=${name}}`).join("")}]`;
var UNSPACED_SCRIPTS = script("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar");
var HANGUL = String.raw`\p{Script=Hangul}`;
var ARABIC = String.raw`\p{Script=Arabic}`;
var HEBREW = String.raw`\p{Script=Hebrew}`;
var APART = `[${UNSPACED_SCRIPTS}${HANGUL}${ARABIC}${HEBREW}]`;
var WORD = [
  String.raw`[vV]?\p{N}+(?:\.\p{N}+)+`,
  String.raw`[${UNSPACED_SCRIPTS}&&[\p{L}\p{M}\p{N}]]+`,
  String.raw`[${HANGUL}&&\p{L}]+`,
  String.raw`[[${ARABIC}${HEBREW}]&&[\p{L}\p{M}]]+`,
  String.raw`[[\p{L}\p{N}]--${APART}][[\p{L}\p{M}\p{N}]--${APART}]*`,
  String.raw`\p{Extended_Pictographic}`
].join("|");
var WORDS = new RegExp(WORD, "gv");
var WORDS_AND_GROUPED_NUMBERS = new RegExp([...GROUPED_NUMBERS, WORD].join("|"), "gv");
var MAY_BE_GROUPED = /\d[,.'’]\d{3}/;
var POSSESSIVE = /(?<=\p{L})['’][sS](?!\p{L})/gu;
var UNSPACED = new RegExp(UNSPACED_SCRIPTS, "v");
var ANALYSES = [
  [UNSPACED, pairs],
  [/^\p{Script=Hangul}/u, pairs],
  [/^\p{Script=Arabic}/u, arabicForms],
  [/^\p{Script=Hebrew}/u, hebrewForms]
];
function words(text) {
  return tokensOf(text).map(wordOf);
}
function tokensOf(text) {
  const folded2 = foldExceptCase(text).replace(POSSESSIVE, "");
  return folded2.match(MAY_BE_GROUPED.test(folded2) ? WORDS_AND_GROUPED_NUMBERS : WORDS) ?? [];
}
function wordOf(token) {
  return ungrouped(lowered(token));
}
function termCounts(text) {
  const tokens = countsOf(tokensOf(text));
  const { counts, length } = wholesOf(tokens);
  for (const [token, count] of tokens)
    for (const part of partsOf(token)) add(counts, stemOf(cut(part)), count);
  return { counts, length };
}
function wholesOf(tokens) {
  const byWord = /* @__PURE__ */ new Map();
  for (const [token, count] of tokens) {
    const word = wordOf(token);
    byWord.set(word, (byWord.get(word) ?? 0) + count);
  }
  const content = [...byWord].filter(([word]) => !STOP_WORDS.has(word));
  const counts = /* @__PURE__ */ new Map();
  let length = 0;
  for (const [word, count] of content.length > 0 ? content : byWord) {
    for (const term of termsOf(word)) {
      length += count;
      add(counts, term, count);
    }
  }
  return { counts, length };
}
function countsOf(tokens) {
  const counts = /* @__PURE__ */ new Map();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}
function add(counts, term, count) {
  const known5 = counts.get(term);
  if (known5 !== void 0 || counts.size < MAX_DISTINCT_TERMS) counts.set(term, (known5 ?? 0) + count);
}
function partsOf(token) {
  if (/^\d/.test(token)) return groupsOf(token);
  if (/^\p{Script=Hangul}/u.test(token)) return nounOfOneSyllable(token);
  return camelCaseParts(token).filter((part) => !STOP_WORDS.has(part));
}
function termsOf(word) {
  if (/^[\0-\x7f]/.test(word)) return [plainTerm(word), ...otherNumbers(word).map(cut)];
  const [, analyse] = ANALYSES.find(([letters2]) => letters2.test(word)) ?? [];
  return analyse ? analyse(word).map(cut) : [plainTerm(word)];
}
function plainTerm(word) {
  return word.includes(".") ? cut(word.replace(/^v/, "")) : stemOf(cut(word));
}
function cut(term) {
  return truncate(term, MAX_TERM_LENGTH);
}
var knownStems = /* @__PURE__ */ new Map();
var maxKnownStems = 2e4;
function stemOf(word) {
  const known5 = knownStems.get(word);
  if (known5 !== void 0) return known5;
  const key = detachedCopy(word);
  const stemmed = detachedCopy(stem(key));
  if (knownStems.size >= maxKnownStems) knownStems.clear();
  knownStems.set(key, stemmed);
  return stemmed;
}

// src/domain/routing/vocabulary.ts
function keyOf(value) {
  return words(String(value)).map(withoutV).join(" ");
}
function withoutV(word) {
  return /^v\p{N}/u.test(word) ? word.slice(1) : word;
}

// src/domain/consistency/metadata-fields.ts
var NAMING = /(?:^|_)(?:id|uuid|key|name|title|slug|doc|document|path|uri|url)$/;
var PART = /(?:^|_)(?:section|chunk|part|page|index|offset|line|paragraph|heading|turn|seq)$/;
var TIME = /(?:^|_)(?:date|time|timestamp|at|on|created|updated|modified|since|until)$/;
var knownKinds = /* @__PURE__ */ new Map();
var maxKnownKinds = 1e4;
function fieldKind(field) {
  const known5 = knownKinds.get(field);
  if (known5) return known5;
  const kind = kindByName(field);
  if (knownKinds.size >= maxKnownKinds) knownKinds.clear();
  knownKinds.set(detachedCopy(field), kind);
  return kind;
}
function kindByName(field) {
  const last = field.slice(field.lastIndexOf(".") + 1);
  const words2 = last.replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, "_").replaceAll(/[\s-]+/g, "_").toLowerCase();
  if (NAMING.test(words2)) return "name";
  if (PART.test(words2)) return "part";
  return TIME.test(words2) ? "time" : "value";
}
var knownLeaves = /* @__PURE__ */ new WeakMap();
var maxLeaves = 200;
var maxPathLength = 200;
function metadataLeaves(metadata) {
  const known5 = knownLeaves.get(metadata);
  if (known5) return known5;
  const leaves = /* @__PURE__ */ new Map();
  const visit = (path, value) => {
    if (leaves.size >= maxLeaves || path.length > maxPathLength) return;
    if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visit(`${path}.${key}`, item);
    else if (value !== null) leaves.set(path, value);
  };
  visit("metadata", metadata);
  knownLeaves.set(metadata, leaves);
  return leaves;
}
function sharedFields(left, right) {
  const [own, others] = [metadataLeaves(left.metadata), metadataLeaves(right.metadata)];
  return [...own].flatMap(([field, value]) => {
    const other = others.get(field);
    return other === void 0 ? [] : [{ field, values: [value, other] }];
  });
}
function isEqualPair({ values: [left, right] }) {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return canonicalOf(left) === canonicalOf(right);
}
var knownJson = /* @__PURE__ */ new WeakMap();
function canonicalOf(value) {
  if (typeof value !== "object" || value === null) return canonicalJson(value);
  const known5 = knownJson.get(value) ?? canonicalJson(value);
  knownJson.set(value, known5);
  return known5;
}

// src/domain/consistency/declared-supersessions.ts
var REPLACED = /^(?:superseded|replaced|obsoleted)[\s_-]*by$/i;
var REPLACES = /^(?:supersedes|replaces|obsoletes)$/i;
var LABEL = /^\s*([A-Za-z]+(?:[\s_-][A-Za-z]+)?)\s*:\s*(.*)$/;
var ITEM = /^\s*[-*]\s+(.*)$/;
var LINE_ENDS = /\r\n?|[\n\u2028\u2029]/;
var confidence = 0.95;
var maxDeclarations = 100;
var maxNameLength = 4e3;
function declaredSupersessions(own, declarations, other) {
  if (declarations.length === 0) return [];
  const names2 = namesOf(other, own);
  return declarations.filter(({ keys }) => isNamedBy(names2, keys)).map(({ field, replaced, value }) => {
    const [older, newer] = replaced ? [own.id, other.id] : [other.id, own.id];
    const detail = `${field} of ${own.id} names ${other.id}: ${JSON.stringify(value)}`;
    return {
      kind: "supersession",
      older,
      newer,
      reason: { code: "declared", detail, confidence, field, value }
    };
  });
}
function findDeclarations({ metadata, content }) {
  const found = /* @__PURE__ */ new Map();
  const add2 = (field, name, value) => {
    const replaced = REPLACED.test(name);
    if (!replaced && !REPLACES.test(name)) return;
    for (const each of Array.isArray(value) ? value : [value])
      if (found.size < maxDeclarations && isName(each))
        found.set(JSON.stringify([field, replaced, each]), declaration(field, replaced, String(each)));
  };
  for (const [field, value] of metadataLeaves(metadata))
    add2(field, field.slice(field.lastIndexOf(".") + 1), value);
  let label;
  for (const line of content.split(LINE_ENDS)) {
    const labelled = LABEL.exec(line);
    const item = labelled ? void 0 : ITEM.exec(line);
    if (labelled) label = labelled[1];
    else if (!item) label = void 0;
    const value = labelled?.[2] ?? item?.[1] ?? "";
    if (label !== void 0 && value.trim() !== "") add2("content", label, value);
  }
  return [...found.values()];
}
function isName(value) {
  return typeof value === "number" || typeof value === "string" && value.length <= maxNameLength;
}
function declaration(field, replaced, value) {
  const items = [value, ...value.split(/[,;]/)];
  const parts2 = items.flatMap((item) => item.split("/"));
  const keys = { whole: new Set(items.map(keyOf)), parts: new Set(parts2.map(keyOf)) };
  return { field, replaced, value, keys };
}
function namesOf(memory, other) {
  const names2 = [keyOf(memory.id)];
  const values = [];
  if (memory.externalId !== void 0) names2.push(keyOf(memory.externalId));
  const container = innermostContainer(memory.scope);
  if (container && container.value !== other.scope[container.key]) names2.push(keyOf(container.value));
  for (const {
    field,
    values: [value, different]
  } of sharedFields(memory, other)) {
    if (!isName(value) || value === different) continue;
    const kind = fieldKind(field);
    if (kind === "name") names2.push(keyOfField(memory.metadata, field, value));
    else if (kind === "value") values.push(keyOfField(memory.metadata, field, value));
  }
  return { whole: /* @__PURE__ */ new Set([...names2, ...values]), parts: new Set(names2.filter(isDistinctive)) };
}
var knownKeys = /* @__PURE__ */ new WeakMap();
function keyOfField(metadata, field, value) {
  const keys = knownKeys.get(metadata) ?? /* @__PURE__ */ new Map();
  knownKeys.set(metadata, keys);
  const key = keys.get(field) ?? keyOf(value);
  keys.set(field, key);
  return key;
}
function isNamedBy({ whole, parts: parts2 }, keys) {
  return [...whole].some((key) => keys.whole.has(key)) || [...parts2].some((key) => keys.parts.has(key));
}
function isDistinctive(key) {
  return /\p{L}/u.test(key);
}

// src/domain/consistency/short-texts.ts
var minTokens = 4;
var maxTokens = 120;
var maxLength = 2e3;
var WORD2 = /\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*|\p{L}[\p{L}\p{M}\p{N}]*(?:['’_-][\p{L}\p{N}]+)*|%/gu;
function shortTextOf(text) {
  if (text.length > maxLength) return void 0;
  const tokens = tokensOf2(text);
  return tokens.length < minTokens || tokens.length > maxTokens ? void 0 : { text, tokens };
}
function tokensOf2(text) {
  return (text.match(WORD2) ?? []).map((word) => ({ text: word, key: keyOf2(word) }));
}
function keyOf2(text) {
  const folded2 = fold(text).replaceAll("\u2019", "'");
  return /^\p{L}+$/u.test(folded2) && !STOP_WORDS.has(folded2) ? stem(folded2) : folded2;
}
function isContent({ key }) {
  return /^\p{L}/u.test(key) && !STOP_WORDS.has(key);
}

// src/domain/consistency/values.ts
var NUMBERS = new Map([
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ").map((word, value) => [word, `${value}`]),
  ..."twenty thirty forty fifty sixty seventy eighty ninety hundred".split(" ").map((word, index) => [word, `${(index + 2) * 10}`])
]);
function isNumberWord(word) {
  return NUMBERS.has(word);
}
function plainNumber(word) {
  const digits = NUMBERS.get(word) ?? (/^\d{1,3}(?:,\d{3})+$/.test(word) ? word.replaceAll(",", "") : word);
  return /^\d+\.\d+$/.test(digits) ? String(Number(digits)) : digits;
}
var NUMERAL = /^\d[\d.,:]*\p{L}*$/u;
function isNumeral(word) {
  return NUMERAL.test(word) || word === "%";
}
function numbersDiffer(left, right) {
  if (![...left, ...right].every(isNumeral)) return false;
  const shape = (words2) => words2.map((word) => word.replaceAll(/\d+(?:\.\d+)?/g, "0")).join(" ");
  return left.length > 0 && shape(left) === shape(right);
}
var MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
var MONTH = /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
var WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;
var DAY = /^([0-3]?\d)(?:st|nd|rd|th)?$/;
var YEAR = /^(?:19|20)\d\d$/;
var ISO = /^((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?$/;
function isDatePart(word) {
  return [MONTH, WEEKDAY, DAY, YEAR, ISO].some((form2) => form2.test(word));
}
function datesDiffer(left, right) {
  const [own, other] = [dateOf(left), dateOf(right)];
  if (!own || !other || own.size !== other.size) return false;
  const parts2 = [...own.keys()];
  return parts2.every((part) => other.has(part)) && parts2.some((part) => own.get(part) !== other.get(part));
}
function dateOf(words2) {
  const parts2 = /* @__PURE__ */ new Map();
  for (const word of words2)
    for (const [part, value] of partsOf2(word)) {
      if (parts2.has(part)) return void 0;
      parts2.set(part, value);
    }
  return parts2.size === 0 || parts2.size === 1 && parts2.has("day") || parts2.has("none") ? void 0 : parts2;
}
function partsOf2(word) {
  const iso = ISO.exec(word);
  if (iso)
    return ["year", "month", "day"].flatMap(
      (part, index) => iso[index + 1] === void 0 ? [] : [[part, Number(iso[index + 1])]]
    );
  if (WEEKDAY.test(word)) return [["weekday", word]];
  if (MONTH.test(word)) return [["month", MONTHS.indexOf(word.slice(0, 3)) + 1]];
  if (YEAR.test(word)) return [["year", Number(word)]];
  const day = DAY.exec(word);
  return day ? [["day", Number(day[1])]] : [["none", word]];
}

// src/domain/consistency/assertions.ts
var maxLength2 = 200;
var minWords = 3;
var maxWords = 12;
var NOT_ONE_SENTENCE = /[?!;…"“”()[\]{}<>|=*#~\n—–]|[.:]\s|:$|,\s(?!\d{4}\b)|\s-+\s|^\s*-/;
var set = (words2) => new Set(words2.split(" "));
var VAGUE_SUBJECTS = set(
  "it he she they you this that these those there here his her its their your what which who whose how why where when a an some any many most several few another other others someone somebody something anyone anybody no not nobody none never please do does is are can will would did was were has have at least"
);
var EXISTENTIAL = set("a an some many most several few another any");
var PERSONAL = set("i my me");
var HEDGED = set(
  "if when whenever unless while until whether because since though although maybe perhaps might could would probably possibly sometimes often usually occasionally rarely seldom partly suppose assume say imagine let"
);
var RELATIVE = set("today tonight yesterday tomorrow last this ago");
var BE = set("is are am was were");
var NEGATABLE = /* @__PURE__ */ new Set([...BE, ...set("can will should must shall has have")]);
var NEGATIVE = set("not never no without none nothing");
var HAVING = set("is are has have needs need uses use takes take");
function parseAssertion(text) {
  const trimmed2 = text.trim();
  if (trimmed2.length > maxLength2 + 1) return void 0;
  const sentence = trimmed2.replace(/[.!]$/, "").replaceAll("\u2019", "'");
  if (sentence.length > maxLength2 || NOT_ONE_SENTENCE.test(sentence)) return void 0;
  const all2 = tokensOf2(spelledOut(sentence));
  const tokens = /^the$/i.test(all2[0]?.text ?? "") ? all2.slice(1) : all2;
  if (all2.length < minWords || all2.length > maxWords) return void 0;
  const words2 = tokens.map(({ text: word }) => plainNumber(fold(word)));
  const [first2] = words2;
  const verb = words2.findIndex((word) => BE.has(word));
  const subject = words2.slice(0, verb === -1 ? 1 : verb);
  if (VAGUE_SUBJECTS.has(first2) || isNumeral(first2) || isNumberWord(first2)) return void 0;
  if (subject.some((word) => EXISTENTIAL.has(word))) return void 0;
  if (words2.some((word) => HEDGED.has(word) || RELATIVE.has(word)) || tokens.some(({ text: word }) => word === "may"))
    return void 0;
  const negated = findNegation(words2);
  if (negated === "unclear") return void 0;
  return { tokens, words: words2, negated, isPersonal: words2.some((word) => PERSONAL.has(word)) };
}
function spelledOut(sentence) {
  return sentence.replaceAll(/\b(?:can't|cannot)\b/gi, "can not").replaceAll(/\bwon't\b/gi, "will not").replaceAll(/(?<=\p{L})n't\b/gu, " not").replaceAll(/\bI'm\b/g, "I am");
}
function findNegation(words2) {
  const at = words2.findIndex((word) => word === "not" || word === "never" || word === "no");
  if (at === -1) return words2.includes("without") || words2.includes("did") ? "unclear" : void 0;
  const [before, after] = [words2[at - 1], words2[at + 1]];
  const rest = (from, to) => [...words2.slice(0, from), ...words2.slice(to)];
  if (rest(at, at + 1).some((word) => NEGATIVE.has(word))) return "unclear";
  if (before === void 0 || after === void 0) return "unclear";
  if (words2[at] === "never") return { words: rest(at, at + 1), verb: void 0 };
  if (words2[at] === "no") {
    if (after === "longer") return { words: rest(at, at + 2), verb: void 0 };
    return HAVING.has(before) ? { words: rest(at, at + 1), verb: void 0 } : "unclear";
  }
  if (before === "do" || before === "does")
    return at < 2 ? "unclear" : { words: rest(at - 1, at + 1), verb: before === "does" ? at - 1 : void 0 };
  return NEGATABLE.has(before) ? { words: rest(at, at + 1), verb: void 0 } : "unclear";
}
function assertionPairs(assertions) {
  const holders = /* @__PURE__ */ new Map();
  return assertions.flatMap((assertion, right) => {
    const first2 = assertion?.words[0];
    if (first2 === void 0) return [];
    const before = holders.get(first2) ?? [];
    holders.set(first2, [...before, right]);
    return before.map((left) => [left, right]);
  });
}

// src/domain/consistency/link-verdicts.ts
function supersessionsFromLinks(ids, supersessions) {
  const all2 = new Map([...ids].map((id) => [id, supersessions.chains(id)]));
  return [...ids].flatMap((older) => {
    const chains = all2.get(older);
    return [...ids].flatMap((newer) => {
      const chain = chains.get(newer);
      if (!chain || older === newer) return [];
      const back = all2.get(newer).get(older);
      if (!back) return [{ kind: "supersession", older, newer, reason: chainReason(chain) }];
      return older < newer ? [cycle(older, newer, [...chain, ...back])] : [];
    });
  });
}
function confidenceOf(chain) {
  return chain.reduce((product, { confidence: confidence3 }) => product * confidence3, 1);
}
function chainReason(chain) {
  const intermediate = chain.slice(0, -1).map(({ source }) => source);
  const detail = intermediate.length === 0 ? "a link says that it supersedes it" : `a chain of links says so, through ${intermediate.join(", ")}`;
  return { code: "link", detail, confidence: confidenceOf(chain), links: chain.map(toCitedLink) };
}
function cycle(older, newer, links) {
  const detail = "the links form a cycle in which each supersedes the other";
  const reason = {
    code: "circle",
    detail,
    confidence: confidenceOf(links),
    links: links.map(toCitedLink)
  };
  return { kind: "contradiction", memories: [older, newer], reason };
}
function toCitedLink({ source, target, confidence: confidence3 }) {
  return { source, type: "supersedes", target, confidence: confidence3 };
}
function contradictionsFromLinks(ids, links) {
  return links.filter(({ source, target }) => ids.has(source) && ids.has(target)).map((link) => ({
    kind: "contradiction",
    memories: [link.source, link.target],
    reason: {
      code: "link",
      detail: "a link says that they contradict each other",
      confidence: link.confidence,
      links: [link]
    }
  }));
}

// src/domain/routing/planner/ordered-values.ts
var DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?$/;
var VERSION = /^v?\d+(?:\.\d+){1,3}$/i;
var NUMBER = /^\d+$/;
function kindOf(value) {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "text";
  if (DATE.test(value)) return "date";
  if (VERSION.test(value)) return "version";
  return NUMBER.test(value) ? "number" : "text";
}
function compareVersions(a, b) {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
function parts(version) {
  return (version.match(/\d+/g) ?? []).map(Number);
}

// src/domain/consistency/order-by-age.ts
var VERSION2 = /(?:^|[._-])(?:version|revision|rev)$/i;
var maxLength3 = 200;
function isVersionField(field) {
  return VERSION2.test(field);
}
function orderByAge(left, right) {
  const pairs2 = sharedFields(left, right).filter((pair) => !isEqualPair(pair));
  const version = pairs2.find(({ field, values }) => isVersionField(field) && values.every(isComparable));
  const time = occurredAtPair(left, right) ?? pairs2.find(isTimePair);
  const by = version ?? time;
  if (!by) return void 0;
  const [own, other] = by.values.map(String);
  const order = by === version ? compareVersions(own, other) : Date.parse(own) - Date.parse(other);
  if (order === 0) return void 0;
  return order < 0 ? { older: left, newer: right, by } : { older: right, newer: left, by: { ...by, values: [by.values[1], by.values[0]] } };
}
function isComparable(value) {
  return typeof value === "number" || isShort(value) && kindOf(value) !== "text";
}
function isTimePair({ field, values }) {
  return fieldKind(field) === "time" && values.every(isTime);
}
function isTime(value) {
  return isShort(value) && !Number.isNaN(Date.parse(value));
}
function isShort(value) {
  return typeof value === "string" && value.length <= maxLength3;
}
function occurredAtPair(left, right) {
  const [own, other] = [left.occurredAt, right.occurredAt];
  if (own === void 0 || other === void 0 || own === other) return void 0;
  return { field: "occurredAt", values: [own, other] };
}

// src/domain/ranking/speaker.ts
function attributedSpeaker({ speaker, role }) {
  return folded(speaker) ?? folded(role);
}
function folded(name) {
  return typeof name === "string" ? words(name).join(" ") || void 0 : void 0;
}

// src/domain/consistency/same-entity.ts
function mayDescribeSameEntity(left, right) {
  const hasDifferentScope = scopeKeys.some((key) => {
    const [own, other] = [left.scope[key], right.scope[key]];
    return key !== "session" && own !== void 0 && other !== void 0 && own !== other;
  });
  if (hasDifferentScope) return false;
  return sharedFields(left, right).every((pair) => {
    const kind = fieldKind(pair.field);
    return kind !== "name" && kind !== "part" || isEqualPair(pair);
  });
}
function haveSameSpeaker(left, right) {
  const { user } = left.scope;
  return user !== void 0 && user === right.scope.user && attributedSpeaker(left.metadata) === attributedSpeaker(right.metadata);
}

// src/domain/consistency/changed-fields.ts
var maxDifferingShare = 0.5;
var confidence2 = 0.9;
function compareFields(left, right) {
  if (!mayDescribeSameEntity(left, right)) return void 0;
  const pairs2 = sharedFields(left, right);
  const same = pairs2.filter((pair) => fieldKind(pair.field) === "name");
  if (same.length === 0) return void 0;
  const values = pairs2.filter(({ field }) => fieldKind(field) === "value" && !isVersionField(field));
  const differs = values.filter((pair) => !isEqualPair(pair));
  if (differs.length === 0 || differs.length > values.length * maxDifferingShare) return void 0;
  const order = orderByAge(left, right);
  if (order) {
    const { older, newer, by } = order;
    const ordered = older === left ? differs : differs.map(swap);
    const detail2 = `${describeEqual(same[0])} in both; ${describeDifferences(ordered)}; ${describeDifference(by)} says which is newer`;
    const reason2 = { code: "restated", detail: detail2, confidence: confidence2, same, differs: [...ordered, by] };
    return { kind: "supersession", older: older.id, newer: newer.id, reason: reason2 };
  }
  const single = differs.filter(({ values: values2 }) => values2.every((value) => typeof value !== "object"));
  if (single.length === 0) return void 0;
  const detail = `${describeEqual(same[0])} in both; ${describeDifferences(single)}; no field says which is newer`;
  const reason = { code: "restated", detail, confidence: confidence2, same, differs: single };
  return { kind: "contradiction", memories: [left.id, right.id], reason };
}
function swap({ field, values: [left, right] }) {
  return { field, values: [right, left] };
}
function describeEqual({ field, values: [value] }) {
  return `${field} is ${abridge(value)}`;
}
function describeDifferences(pairs2) {
  return pairs2.map((pair) => describeDifference(pair)).join(", ");
}
function describeDifference({ field, values: [left, right] }) {
  return `${field} (${abridge(left)}, then ${abridge(right)})`;
}
function abridge(value) {
  const text = JSON.stringify(typeof value === "string" ? truncate(value, 81) : value);
  return text.length > 80 ? `${truncate(text, 80)}\u2026` : text;
}

// src/domain/consistency/updates/calendar.ts
var LANGUAGES = "en de fr es pt it nl pl tr ru uk sv da nb cs fi".split(" ");
var months = /* @__PURE__ */ new Map();
var weekdays = /* @__PURE__ */ new Map();
for (const language of LANGUAGES)
  for (let index = 0; index < 12; index++) {
    const date = new Date(Date.UTC(2023, index, index + 1));
    for (const style of [{ month: "long" }, { day: "numeric", month: "long" }]) {
      const parts2 = new Intl.DateTimeFormat(language, { ...style, timeZone: "UTC" }).formatToParts(date);
      const name = parts2.find(({ type }) => type === "month")?.value;
      if (name !== void 0) months.set(fold(name), index + 1);
    }
    const weekday = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format(date);
    weekdays.set(fold(weekday), index % 7);
  }
for (const [index, name] of "jan feb mar apr may jun jul aug sep oct nov dec".split(" ").entries())
  months.set(name, index + 1);
months.set("sept", 9);
var SHORT_WEEKDAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
var CJK_WEEKDAYS = "\u65E5\u6708\u706B\u6C34\u6728\u91D1\u571F";
var ISO2 = /(?<![\d-])((?:19|20)\d\d)[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])(?![\d-])/g;
var DOTTED = /(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.((?:19|20)?\d\d)(?![\d.])/g;
var MONTH_YEAR = /(?<![\d./-])(0[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/-])/g;
var CJK_DATE = /(?<!\d)(1[0-2]|0?[1-9])月(3[01]|[12]\d|0?[1-9])日/g;
var CJK_WEEKDAY = /([日月火水木金土])曜|(?:星期|周|週)([一二三四五六日天])/g;
var DAY_NAME = /(?<![\p{N}.,:])(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?\s+(?:(?:of|de|d'|di)\s+)?(\p{L}{3,14})\.?(?:,?\s+(?:de\s+)?((?:19|20)\d\d))?(?!\p{L})/gu;
var NAME_DAY = /(?<!\p{L})(\p{L}{3,14})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+((?:19|20)\d\d))?(?![\p{N}:.,%]*\p{N}|[\p{L}%]|\s*[%$€£])/gu;
var NAME_YEAR = /(?<!\p{L})(\p{L}{3,14})\.?\s+(?:de\s+)?((?:19|20)\d\d)(?!\p{N})/gu;
var CLOCK = /(?<![\p{N}:.-])([01]?\d|2[0-3])(?::|h(?=\d))([0-5]\d)(?![\p{N}:])(?:\s*([ap])\.?m\b\.?)?/giu;
var HOUR = /(?<![\p{N}:.,-])([01]?\d|2[0-4])\s*(?:([ap])\.?m\b\.?|Uhr\b|o'clock\b)/giu;
var WORD3 = /\p{L}+(?:-\p{L}+)?/gu;
function calendarValues(text) {
  const found = [];
  const add2 = (key, value, start, length) => {
    const end = start + length;
    if (!found.some((other) => start < other.end && end > other.start))
      found.push({ key, value, start, end });
  };
  const each = (pattern, read) => {
    for (const match of text.matchAll(pattern)) read(match);
  };
  each(
    ISO2,
    ({ 0: all2, 1: year, 2: month, 3: day, index }) => add2("date", dateOf2(month, day, year), index, all2.length)
  );
  each(
    DOTTED,
    ({ 0: all2, 1: day, 2: month, 3: year, index }) => add2("date", dateOf2(month, day, year), index, all2.length)
  );
  each(CJK_DATE, ({ 0: all2, 1: month, 2: day, index }) => add2("date", dateOf2(month, day), index, all2.length));
  each(
    MONTH_YEAR,
    ({ 0: all2, 1: month, 2: year, index }) => add2("month", `${Number(month)} ${year}`, index, all2.length)
  );
  each(DAY_NAME, ({ 0: all2, 1: day, 2: name, 3: year, index }) => {
    const month = months.get(fold(name));
    if (month !== void 0 && Number(day) <= 31) add2("date", dateOf2(month, day, year), index, all2.length);
  });
  each(NAME_DAY, ({ 0: all2, 1: name, 2: day, 3: year, index }) => {
    const month = months.get(fold(name));
    if (month !== void 0 && Number(day) <= 31) add2("date", dateOf2(month, day, year), index, all2.length);
  });
  each(NAME_YEAR, ({ 0: all2, 1: name, 2: year, index }) => {
    const month = months.get(fold(name));
    if (month !== void 0) add2("month", `${month} ${year}`, index, all2.length);
  });
  each(
    CLOCK,
    ({ 0: all2, 1: hour, 2: minute, 3: half, index }) => add2("time", timeOf(hour, minute, half), index, all2.length)
  );
  each(
    HOUR,
    ({ 0: all2, 1: hour, 2: half, index }) => add2("time", timeOf(hour, "0", half), index, all2.length)
  );
  each(CJK_WEEKDAY, ({ 0: all2, 1: japanese, 2: chinese, index }) => {
    const day = japanese ? CJK_WEEKDAYS.indexOf(japanese) : "\u65E5\u4E00\u4E8C\u4E09\u56DB\u4E94\u516D".indexOf(chinese.replace("\u5929", "\u65E5"));
    add2("weekday", String(day), index, all2.length);
  });
  each(WORD3, ({ 0: word, index }) => {
    const short = SHORT_WEEKDAYS.indexOf(word.replace(/(?<=^(?:Tue|Thu))(?:s|rs?)$/, ""));
    const folded2 = fold(word);
    const day = short === -1 ? weekdays.get(folded2) ?? weekdays.get(folded2.replace(/s$/, "")) : short;
    if (day !== void 0) add2("weekday", String(day), index, word.length);
  });
  return found;
}
function dateOf2(month, day, year) {
  const full = year === void 0 ? "" : `${year.length === 2 ? "20" : ""}${year}`;
  return `${Number(month)}-${Number(day)}-${full}`;
}
function timeOf(hour, minute, half) {
  const base = Number(hour) % (half === void 0 ? 24 : 12);
  return String((base + (half?.toLowerCase() === "p" ? 12 : 0)) * 60 + Number(minute));
}
function saysTheSame(left, right) {
  if (left.value === right.value) return true;
  if (left.key !== "date") return false;
  const [own, other] = [left.value.split("-"), right.value.split("-")];
  return own[0] === other[0] && own[1] === other[1] && (own[2] === "" || other[2] === "");
}

// src/domain/consistency/updates/cues.ts
var CHANGE = new RegExp(
  [
    String.raw`\b(?:now|nowadays|from now on|from (?:today|tonight|tomorrow)|as of|effective|instead|no longer|any ?more|any longer|no more|back to|back on|anew|going forward)\b`,
    String.raw`\b(?:from|since|starting) (?:next )?(?:(?:mid|late|early)[- ])?(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|\d{1,2} \p{Lu}\p{Ll}+)\b`,
    String.raw`^new\b|\bnew (?:owner|price|plan|date|time|address|number|limit|default|contact|rule|policy)\b|\bafter the (?:holidays|break|move|summer)\b`,
    String.raw`\b(?:mov|chang|switch|replac|rais|lower|increas|reduc|extend|shorten|postpon|reschedul|delay|push|bump|upgrad|downgrad|renam|migrat|relocat|lift|cut|updat|amend|revis|cancel|retir|transferr)(?:ed|es|e|s|ing)?\b`,
    String.raw`\b(?:brought forward|pushed back|takes? (?:it |\p{L}+ )?over|took over|taken over|handed over|went up|gone up|goes up|went down|came back with|set the|bumped|put off|moved)\b`,
    String.raw`(?<!\p{L})(?:jetzt|nun|nunmehr|ab sofort|künftig|zukünftig|neu(?:e[rsnm]?)?|verschoben|verlegt|rutscht|geändert|umgezogen|stattdessen|nicht mehr|gekündigt|erhöht|gesenkt)(?!\p{L})|\bkeine?n?\b.{1,30}\bmehr\b|\bab (?:dem )?\d`,
    String.raw`(?<!\p{L})(?:ahora|a partir de|desde ahora|ya no|nuev[oa]s?|cambi[óoa]\p{L}*|mov(?:ió|ido)|pasa a|aplazad[oa]|maintenant|désormais|dorénavant|nouve(?:au|lle)s?|déplacée?|reportée?|agora|nov[oa]s?|mudou|adiad[oa]|adesso|d'ora in poi|spostat[oa]|cambiat[oa])(?!\p{L})`,
    String.raw`(?<!\p{L})(?:voortaan|niet meer|verplaatst|verzet|nieuwe?|teraz|już nie|od teraz|przeniesion\p{L}*|zmieni\p{L}*|artık|yeni|ertelendi|değişti|taşındı)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:теперь|больше не|перенес\p{L}*|измен\p{L}*|нов(?:ый|ая|ое))(?!\p{L})`,
    "\u73FE\u5728\u306F|\u4ECA\u306F|\u3053\u308C\u304B\u3089|\u4ECA\u5F8C|\u5909\u66F4|\u79FB\u52D5|\u5EF6\u671F|\u306A\u304F\u306A\u3063|\u73FE\u5728|\u6539\u4E3A|\u6539\u5230|\u4E0D\u518D|\u63A8\u8FDF|\uC774\uC81C|\uB354 \uC774\uC0C1|\uBCC0\uACBD|\uC5F0\uAE30"
  ].join("|"),
  "iu"
);
var SETTING = /\b(?:rais|lower|increas|reduc|bump|lift|cut|chang|mov|set|upgrad|extend|adjust)(?:ed|es|s|e|ing)?\b(?:[^.;]|\.(?=\S)){0,60}?\bto\s|\bgoes from\b|\bup to\b/iu;
var UNSURE = /\?\s*$|\b(?:i'm|i am|we're|we are) (?:\p{L}+ )?(?:looking|trying|wondering|considering|thinking)\b|^(?:should|would|could|maybe|perhaps|what|which|how|why|who|can|do|does|is|are)\b|\b(?:maybe|perhaps|might|ideas? (?:for|is|was)|considering|thinking (?:of|about)|wonder(?:ing)?|suggest(?:ed|s)?|propos(?:ed|es|al)|asked whether|for example|e\.g\.|such as|used to|previously|formerly)\b/iu;
var PAST = /\b(?:was|were|went|did|had|got|came|made|took|saw|ran|said|told|paid|spent|gave|bought|found|sent|met|wrote|broke|lost|won|felt|left|\p{L}{2,40}ed)\b/iu;
var STATIVE = /\b(?:is|are|be|been|being|'s|'re|get|gets)\s+(?:\p{L}+\s+)?\p{L}{2,}(?:ed|t|n)\b/iu;
function saysChange(sentence) {
  return CHANGE.test(sentence);
}
function setsValue(sentence) {
  return SETTING.test(sentence);
}
function isUnsure(sentence) {
  return UNSURE.test(sentence);
}
function isPastEvent(sentence) {
  return PAST.test(sentence.replaceAll(new RegExp(STATIVE.source, "giu"), " "));
}

// src/domain/consistency/updates/units.ts
var SYMBOLS = {
  $: "usd",
  "\u20AC": "eur",
  "\xA3": "gbp",
  "\xA5": "jpy",
  "\u20B9": "inr"
};
var CURRENCIES = {
  usd: "usd",
  dollar: "usd",
  dollars: "usd",
  bucks: "usd",
  eur: "eur",
  euro: "eur",
  euros: "eur",
  gbp: "gbp",
  pounds: "gbp",
  quid: "gbp",
  chf: "chf",
  francs: "chf",
  jpy: "jpy",
  yen: "jpy",
  \u5186: "jpy",
  sek: "sek",
  nok: "nok",
  dkk: "dkk",
  pln: "pln",
  z\u0142: "pln",
  inr: "inr",
  cny: "cny",
  \u5143: "cny"
};
var SECONDS = {
  ms: 1e-3,
  millisecond: 1e-3,
  s: 1,
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  day: 86400,
  week: 604800,
  month: 2592e3,
  year: 31536e3,
  sekunde: 1,
  sekunden: 1,
  minuten: 60,
  stunde: 3600,
  stunden: 3600,
  tag: 86400,
  tage: 86400,
  tagen: 86400,
  segundos: 1,
  minutos: 60,
  hora: 3600,
  horas: 3600,
  dias: 86400,
  minutes: 60,
  heures: 3600,
  jours: 86400
};
var BYTES = {
  kb: 1e3,
  kib: 1e3,
  mb: 1e6,
  mib: 1e6,
  gb: 1e9,
  gib: 1e9,
  tb: 1e12
};
var CALLS = new Set("call calls request requests req reqs query queries hit hits".split(" "));
var NUMBER_WORDS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve".split(" ").map((word, value) => [word, value])
);

// src/domain/consistency/updates/quantities.ts
var AMOUNT = String.raw`\d{1,3}(?:[,.\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?`;
var NUMBER2 = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.,:/#@=+-]|\p{N}[-–]|[#@]\s?)([$€£¥₹])?\s?(${AMOUNT})(k\b)?(?![\p{N}_:@]|[.,/-]\p{N}|-\p{Lu})(?:[\s-]?([%$€£¥₹]|(?!(?:to|and|or|a|an|per|each|every|in|of|for|at|from|on|with|is|are|after|before|by|as|the|pro|por|par)\b)\p{L}{1,24}(?![\p{L}\p{N}])))?(?:\s?\/\s?(\p{L}{1,12})|\s(?:per|a|an|each|every|pro|por|par|al|im|la)\s(?:account and\s)?(\p{L}{2,12}))?`,
  "gu"
);
var COMPARED = /^\s(?:less|more|fewer|than|ago|later|earlier|off|higher|lower|faster|old)\b/;
var SPELLED = /(?<![\p{L}-])(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s(\p{L}{3,24})/giu;
var VERSION3 = /(?<![\p{L}\p{N}_.:/#-])v?(\d{1,4}\.\d{1,4}(?:\.\d{1,4})*(?:-[a-z]+\d*)?)(?![\p{N}_:/]|\.\p{N})/gu;
var COUNTED = /(?<![\p{L}\p{N}_./#-])(\p{L}[\p{L}'’-]{1,24})\s(\d{1,4}(?:\.\d{1,3})?(?:\/\d{1,3})?)(?=[,;.)\s–—-]|$)(?!\.\d|\s?[%$€£]|-\p{L}|\s\p{Ll}{3})/gu;
var NUMBERED = /^(?:step|phase|sprint|chapter|section|part|question|problem|exercis|task|item|day|week|month|year|quarter|figur|tabl|option|issu|ticket|level|grade|class|page|line|version|of|adr|pep|kep|eip|rfc|pr|no|number|nr|least|most|than|about|around|almost|nearli|exact|anoth|roughli)$/;
var DAY_NUMBER = /\b(?:on|by|after|at) day (\d{1,3})\b/gi;
var EVERYONE = /\b(?:everyone|everybody|all (?:users|tenants|customers|accounts|traffic|requests))\b/gi;
var PLAIN = /(?:[:=]|\b(?:is|to|at|now))\s(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?=[,;.)\s]|$)(?![.,]\d|\s\p{L}|\s?[%$€£])/gu;
function quantities(text, taken) {
  const found = [];
  const isFree = (start, end) => [...taken, ...found].every((other) => start >= other.end || end <= other.start);
  for (const match of text.matchAll(NUMBER2)) {
    const [all2, symbol, digits, thousands, unit, slashed, per] = match;
    const number = amountOf(digits) * (thousands === void 0 ? 1 : 1e3);
    const read = quantityOf(number, symbol ?? unit, slashed ?? per);
    const start = match.index + (all2.length - all2.trimStart().length);
    const rate = /(?:\s?\/\s?|\s)\p{L}+(?:\s(?:account and\s)?\p{L}+)?$/u;
    const end = match.index + ((slashed ?? per) === void 0 ? all2 : all2.replace(rate, "")).trimEnd().length;
    if (/(?:^|[\s(])\p{Lu}{2,}\s?$/u.test(text.slice(Math.max(0, start - 8), start))) continue;
    if (!read || !isFree(start, end) || COMPARED.test(text.slice(end, end + 12))) continue;
    found.push({ ...read, start, end });
  }
  for (const { 0: all2, 1: word, 2: unit, index } of text.matchAll(SPELLED)) {
    const read = quantityOf(NUMBER_WORDS.get(word.toLowerCase()), unit, void 0);
    if (read && isFree(index, index + all2.length))
      found.push({ ...read, start: index, end: index + all2.length });
  }
  for (const { 0: all2, 1: version, index } of text.matchAll(VERSION3))
    if (isFree(index, index + all2.length))
      found.push({ key: "version", value: version, start: index, end: index + all2.length });
  for (const { 0: all2, 1: number, index } of text.matchAll(DAY_NUMBER))
    if (isFree(index, index + all2.length))
      found.push({
        key: "duration",
        value: String(Number(number) * 86400),
        start: index,
        end: index + all2.length
      });
  for (const { 0: all2, index } of text.matchAll(EVERYONE))
    if (isFree(index, index + all2.length))
      found.push({ key: "%", value: "100", start: index, end: index + all2.length });
  for (const { 0: all2, 1: word, 2: number, index } of text.matchAll(COUNTED)) {
    const key = stem(fold(word));
    if (STOP_WORDS.has(key) || STOP_WORDS.has(fold(word)) || NUMBERED.test(key)) continue;
    const start = index + all2.length - number.length;
    if (isFree(start, start + number.length))
      found.push({ key: `~${key}`, value: number, start, end: start + number.length });
  }
  for (const { 0: all2, 1: number, index } of text.matchAll(PLAIN)) {
    const start = index + all2.length - number.length;
    const end = start + number.length;
    const label = /(\p{L}+)\s?[:=]?\s?$/u.exec(text.slice(Math.max(0, start - 20), start))?.[1];
    if (label !== void 0 && NUMBERED.test(stem(fold(label)))) continue;
    if (isFree(start, end)) found.push({ key: "number", value: String(amountOf(number)), start, end });
  }
  return found;
}
function quantityOf(number, unit, per) {
  const value = String(number);
  if (unit === void 0) return per === void 0 ? void 0 : { key: `per ${stem(fold(per))}`, value };
  const word = fold(unit);
  const currency = SYMBOLS[unit] ?? CURRENCIES[word];
  if (currency) return { key: currency, value };
  if (word === "%" || word === "percent" || word === "prozent") return { key: "%", value };
  const single = word.length > 2 ? word.replace(/s$/, "") : word;
  const seconds = SECONDS[word] ?? SECONDS[single];
  if (seconds !== void 0 && per === void 0) return { key: "duration", value: String(number * seconds) };
  const bytes = BYTES[word];
  if (bytes !== void 0) return { key: "bytes", value: String(number * bytes) };
  if (per !== void 0) {
    const counted = CALLS.has(word) ? "call" : stem(word);
    return { key: `${counted} per ${stem(fold(per)).slice(0, 3)}`, value };
  }
  if (/^(?:rps|qps)$/.test(word)) return { key: "call per sec", value };
  if (word.length < 2 || STOP_WORDS.has(word) || /^\p{Lu}/u.test(unit)) return void 0;
  return { key: `# ${stem(word)}`, value };
}
function amountOf(digits) {
  const whole = digits.replaceAll(/[,.\u202f ](?=\d{3}(?!\d))/g, "");
  return Number(whole.replace(",", "."));
}

// src/domain/consistency/updates/split-sentences.ts
var maxLength4 = 32768;
var maxSentences = 300;
var maxSentenceLength = 600;
var SENTENCE_END = /\r\n?|[\n\u2028\u2029|·•]|(?<=[。！？])|(?<=[!?;…]["”)]?)\s|(?<!(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Nr|No|vs|approx|ca|e\.g|i\.e|z\.B|bzw|Sra?|Dra?|Mme|[A-Z]|\d{1,2})\.)(?<=\.["”)]?)\s/u;
var LEAD = /^\s*(?:[-*>#]+\s+|\d{1,3}[.)]\s+)*(?:(?:user|assistant|agent|human|ai)(?:\s*\([^)]{0,40}\))?:\s+)?/i;
function splitSentences(text) {
  const sentences = [];
  for (const part of truncate(text, maxLength4).split(SENTENCE_END)) {
    const sentence = truncate((part ?? "").replace(LEAD, "").trim(), maxSentenceLength);
    if (sentence.length > 2) sentences.push(sentence);
    if (sentences.length === maxSentences) break;
  }
  return sentences;
}

// src/domain/consistency/updates/sentence-index.ts
var SAME = new Map(
  [
    "limit quota ceil cap maximum max budget allow threshold throttl",
    "price cost fee charg rent tariff",
    "owner own maintain maintainer respons",
    "call phone ring telephon rang",
    "mail e-mail email inbox",
    "appoint termin cita rendez-v",
    "request req",
    "kid children child",
    "retri repeat tri",
    "deliveri deliv",
    "pick-up pickup collect",
    "login logins sign-in sign-on sso",
    "remind reminder nudg"
  ].flatMap((group) => {
    const [first2, ...others] = group.split(" ");
    return others.map((word) => [word, first2]);
  })
);
var COMMON = new Set(
  "new time day week month year today user assist agent thing use work way pleas note first second third last next good need want make take go get name number list one two three four everi like also still onli back set start end run chang updat move dr mr mrs ms frau herr say said tell told ask thank yes ok sure help know think see look find put give let come keep and plus around about sinc until alreadi yet becaus just realli lot much monday tuesday wednesday thursday friday saturday sunday old current default der die das den dem des ein eine einen einem und ist sind war im am zum zur von mit bei auf f\xFCr auch aus sich wird wir er sie es el la los las un una y son de del al con por para en que se su lo le les du et est sont avec pour dans au aux il gli di che per sono os as um uma e da do dos em no na com para het een van met op voor naar".split(" ")
);
var stepLength = 8;
function* indexSteps(text) {
  const bare = [];
  for (const part of splitSentences(text)) {
    bare.push(withAntecedents(sentenceOf(part), bare.at(-1)));
    if (bare.length % stepLength === 0) yield;
  }
  const sentences = bare.map((sentence, index) => ({ ...sentence, around: around(bare, index) }));
  const byValue = /* @__PURE__ */ new Map();
  const bySubject = /* @__PURE__ */ new Map();
  for (const [index, { values, subjects }] of sentences.entries()) {
    for (const key of new Set(values.map(({ key: key2 }) => key2))) put(byValue, key, index);
    for (const key of subjects.keys()) put(bySubject, key, index);
  }
  const texts = new Set(sentences.map(({ text: written2 }) => written2));
  return { sentences, texts, isNote: sentences.length <= noteLength, byValue, bySubject };
}
var PRONOUN = /(?:^|[,;]\s|\bthe \p{L}+ )(?:he|she|it|they|er|sie)\b/iu;
function withAntecedents(sentence, before) {
  if (!before || !PRONOUN.test(sentence.text)) return sentence;
  return { ...sentence, subjects: new Map([...before.subjects].map(outside).concat([...sentence.subjects])) };
}
function outside([key, subject]) {
  return [key, { ...subject, start: -1 }];
}
var noteLength = 6;
function around(sentences, index) {
  const neighbours = sentences.length <= noteLength ? sentences : sentences.slice(Math.max(0, index - 2), index + 2);
  const own = sentences[index].subjects;
  const found = /* @__PURE__ */ new Map();
  for (const { subjects } of neighbours)
    for (const [key, subject] of subjects) if (!own.has(key)) found.set(key, subject);
  return found;
}
function sentenceOf(text) {
  const dates = calendarValues(text);
  const values = [...dates, ...quantities(text, dates)];
  return {
    text,
    subjects: subjectsOf(text, values),
    values,
    saysChange: saysChange(text),
    setsValue: setsValue(text),
    isUnsure: isUnsure(text),
    isPast: isPastEvent(text)
  };
}
var IDENTIFIER = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[._/][\p{L}\p{N}]+)+|\p{Lu}{2,5} \d{2,6}(?![\p{L}\p{N}]))/gu;
function subjectsOf(text, values) {
  const subjects = /* @__PURE__ */ new Map();
  for (const { 0: identifier2, index: start } of text.matchAll(IDENTIFIER))
    if (/\p{L}/u.test(identifier2) && !values.some((value) => start >= value.start && start < value.end))
      subjects.set(fold(identifier2), { text: identifier2, key: fold(identifier2), isName: true, start });
  for (const match of text.matchAll(WORD2)) {
    const { index: start } = match;
    if (values.some((value) => start >= value.start && start < value.end)) continue;
    for (const { word, offset } of partsOf3(match[0])) {
      const folded2 = keyOf2(word.replace(/['’](?:s|ve|m|re|ll|d|t)?$/i, ""));
      const key = SAME.get(folded2) ?? folded2;
      if (STOP_WORDS.has(key) || key.length < 2 || /^\p{N}+$/u.test(key) || subjects.has(key)) continue;
      const isName3 = isNameIn(text, word, start);
      subjects.set(key, { text: word, key, isName: isName3, start: start + offset });
    }
  }
  return subjects;
}
function partsOf3(word) {
  if (!/[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}]/u.test(word)) return [{ word, offset: 0 }];
  return [...word.matchAll(/[\p{sc=Katakana}ー]{2,}|(?=(\p{sc=Han}{2}))|[A-Za-z]{2,}/gu)].map((match) => ({
    word: match[1] ?? match[0],
    offset: match.index
  }));
}
function isNameIn(text, word, start) {
  if (/[\p{N}_]|\p{Ll}\p{Lu}/u.test(word)) return true;
  if (/^\p{sc=Katakana}/u.test(word)) return true;
  if (/\b(?:Dr|Mr|Mrs|Ms|Prof|Sra?|Dra?|Frau|Herr)\.?\s$/.test(text.slice(Math.max(0, start - 6), start)))
    return true;
  return /^\p{Lu}/u.test(word) && start > 0 && !/[.:!?"“(]\s*$/.test(text.slice(Math.max(0, start - 3), start));
}
function weightOf({ key, isName: isName3 }) {
  if (COMMON.has(key)) return 0;
  return isName3 ? 1.25 : 1;
}
function hasCapitals(subject, other) {
  const same = other.subjects.get(subject.key);
  return same !== void 0 && weightOf(subject) > 0 && [subject, same].every(({ text }) => /^[\p{Lu}\p{Lo}]/u.test(text));
}
function put(map, key, index) {
  const known5 = map.get(key);
  if (known5) known5.push(index);
  else map.set(key, [index]);
}

// src/domain/consistency/updates/support.ts
var mostShared = 4;
var aroundWeight = 0.5;
var mostAround = 2;
function sharedSubjects(older, newer, apart = /* @__PURE__ */ new Set()) {
  const words2 = [];
  let [own, around2] = [0, 0];
  for (const [key, subject] of newer.subjects) {
    if (apart.has(key)) continue;
    const other = older.subjects.get(key);
    const near = other ?? older.around.get(key);
    if (!near) continue;
    const each = Math.max(weightOf(subject), weightOf(near));
    if (each === 0) continue;
    words2.push(subject.text);
    if (other) own += each;
    else around2 += each * aroundWeight;
  }
  for (const [key, subject] of newer.around) {
    const other = older.subjects.get(key) ?? older.around.get(key);
    if (!other || apart.has(key)) continue;
    const each = Math.max(weightOf(subject), weightOf(other));
    if (each > 0) words2.push(subject.text);
    around2 += each * aroundWeight;
  }
  return {
    words: words2,
    own: Math.min(own, mostShared),
    around: Math.min(around2, mostAround),
    isCovered: covers(older, newer) || covers(newer, older)
  };
}
function commonSupport({ isOnePerson }, newer) {
  return (isOnePerson ? 0.5 : 0) + (newer.saysChange ? 1 : 0);
}
function covers(sentence, other) {
  let count = 0;
  for (const subject of other.subjects.values()) {
    if (weightOf(subject) === 0) continue;
    if (!sentence.subjects.has(subject.key)) return false;
    count++;
  }
  return count > 0;
}

// src/domain/consistency/updates/changed-values.ts
var plain = "number";
var mostPairs = 400;
var minOwn = 2;
var minSupport = 2.5;
var minSupportUnsaid = 3.25;
var CLAUSE_END = /[,;()–—]|\s-+>?\s|→|\s(?:and|then|but|und|y|et)\s/gu;
function changedValues(comparison) {
  const { older, newer } = comparison;
  const updates = [];
  let compared = 0;
  for (const [key, rights] of newer.byValue)
    for (const right of rights)
      for (const [olderKey, left] of candidates(older, key, newer.sentences[right])) {
        if (++compared > mostPairs) return updates;
        const update = changedValue(
          comparison,
          [olderKey, key],
          older.sentences[left],
          newer.sentences[right]
        );
        if (update) updates.push(update);
      }
  return updates;
}
function candidates(older, key, newer) {
  const keys = newer.setsValue && !isCalendar(key) && key !== plain ? [key, plain] : [key];
  return keys.flatMap((each) => (older.byValue.get(each) ?? []).map((sentence) => [each, sentence]));
}
function changedValue(comparison, [olderKey, key], older, newer) {
  if (older.isUnsure || newer.isUnsure) return void 0;
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  if (!newer.saysChange) {
    if (!areNotes || key === "date" || key === "month") return void 0;
    if (!key.startsWith("~") && (older.isPast || newer.isPast)) return void 0;
  }
  if (nameOthers(older, newer)) return void 0;
  const pair = comparedPair([olderKey, key], older, newer);
  if (!pair) return void 0;
  const shared = sharedSubjects(older, newer);
  const own = pair.inClause === void 0 ? shared.own : pair.inClause + Math.min(1, shared.own / 2);
  if (shared.words.length === 0 || own < leastOwn([olderKey, key], areNotes, shared.isCovered))
    return void 0;
  const support = own + shared.around + commonSupport(comparison, newer) + (newer.setsValue ? 0.5 : 0) + (isSpecific(key) || isMoney(key) || olderKey === plain ? 0.5 : 0) + (shared.isCovered ? 0.5 : 0) + pair.bonus;
  if (support < (newer.saysChange ? minSupport : minSupportUnsaid)) return void 0;
  return {
    difference: isCalendar(key) ? "date" : "number",
    words: [wordsOf(older, pair.left), wordsOf(newer, pair.right)],
    passages: [older.text, newer.text],
    shared: shared.words.slice(0, 4),
    support
  };
}
function nameOthers(older, newer) {
  const [own, others] = [older, newer].map(
    ({ subjects }) => [...subjects.keys()].filter((key) => /\p{L}/u.test(key) && /\p{N}/u.test(key))
  );
  return own.length > 0 && others.length > 0 && !own.some((key) => others.includes(key));
}
function leastOwn([olderKey, key], areNotes, isCovered) {
  if (!areNotes) return minOwn;
  if (isSpecific(key)) return 0;
  const isTimed = isCalendar(key) || key === "duration";
  return olderKey === plain || !isTimed || isCovered ? 1 : minOwn;
}
function comparedPair([olderKey, key], older, newer) {
  const lefts = currentAndFormer(olderKey, older).values;
  const { values: rights, former } = currentAndFormer(key, newer);
  const [left, right] = [lefts[0], rights[0]];
  if (!left || !right) return void 0;
  if (!isList(older) && !isList(newer) && distinct(lefts) === 1 && distinct(rights) === 1)
    return saysTheSame(left, right) ? void 0 : { left, right, bonus: confirms(former, left) };
  if (lefts.some((own) => rights.some((other) => saysTheSame(own, other)))) return void 0;
  let best;
  for (const own of lefts.slice(0, 8))
    for (const other of rights.slice(0, 8)) {
      const overlap = clauseOverlap(older, own, newer, other, distinct(rights) === 1);
      if (overlap > (best?.overlap ?? 0))
        best = { left: own, right: other, bonus: confirms(former, own), overlap, inClause: overlap };
    }
  return best;
}
function confirms(former, left) {
  return former.some((value) => saysTheSame(value, left)) ? 2 : 0;
}
function distinct(values) {
  return new Set(values.map(({ value }) => value)).size;
}
function isConditional({ text }, value) {
  const before = text.slice(Math.max(0, value.start - 60), value.start);
  const clause = before.slice(Math.max(before.lastIndexOf(","), before.lastIndexOf(";")) + 1);
  return /\b(?:if|when|once|until|till|unless|above|below|over|under|before|bis|hasta|wenn)\b/iu.test(clause);
}
var knownValues = /* @__PURE__ */ new WeakMap();
function currentAndFormer(key, sentence) {
  const known5 = knownValues.get(sentence) ?? /* @__PURE__ */ new Map();
  knownValues.set(sentence, known5);
  const found = known5.get(key) ?? findCurrentAndFormer(key, sentence);
  known5.set(key, found);
  return found;
}
function findCurrentAndFormer(key, sentence) {
  const all2 = sentence.values.filter((value) => value.key === key && !isConditional(sentence, value));
  const numbers = sentence.values.toSorted((a, b) => a.start - b.start);
  const former = numbers.filter((value, index) => {
    const next = numbers[index + 1];
    if (!next) return false;
    const between = sentence.text.slice(value.end, next.start);
    const before = sentence.text.slice(Math.max(0, value.start - 14), value.start);
    return /^\s*(?:\S+\s+)?(?:->|→|=>)\s*$/.test(between) || /\b(?:from|von|de|di|da)\s(?:the\s)?(?:\p{L}+\s)?$/iu.test(before) && /^\s*(?:\S+\s+){0,2}(?:to|auf|a|à|bis)\s*$/.test(between);
  });
  return { values: all2.filter((value) => !former.includes(value)), former };
}
function isList({ values }) {
  return ["date", "weekday", "month"].some(
    (key) => distinct(values.filter((value) => value.key === key)) > 2
  );
}
function clauseOverlap(older, left, newer, right, isOnly) {
  const other = isOnly ? newer.subjects : clauseSubjects(newer, right);
  let weight = 0;
  for (const [key, subject] of clauseSubjects(older, left)) {
    if (other.has(key)) weight += weightOf(subject);
    else if (subject.isName) weight -= weightOf(subject);
  }
  return weight;
}
var knownSubjects = /* @__PURE__ */ new WeakMap();
function clauseSubjects(sentence, value) {
  const found = knownSubjects.get(value) ?? findClauseSubjects(sentence, value);
  knownSubjects.set(value, found);
  return found;
}
function findClauseSubjects(sentence, value) {
  const ends = knownEnds.get(sentence) ?? [...sentence.text.matchAll(CLAUSE_END)];
  knownEnds.set(sentence, ends);
  const last = ends.findLast((match) => match.index + match[0].length <= value.start);
  const start = last === void 0 ? 0 : last.index + last[0].length;
  const end = ends.find(({ index }) => index >= value.end)?.index ?? sentence.text.length;
  return new Map(
    [...sentence.subjects].filter(([, subject]) => subject.start >= start && subject.start < end)
  );
}
var knownEnds = /* @__PURE__ */ new WeakMap();
function isSpecific(key) {
  return key.startsWith("#") || key.startsWith("~") || key.includes("per ") || key === "version";
}
function isMoney(key) {
  return /^[a-z]{3}$/.test(key);
}
function isCalendar(key) {
  return key === "date" || key === "time" || key === "weekday" || key === "month";
}
function wordsOf({ text }, { start, end }) {
  return text.slice(start, end);
}

// src/domain/consistency/alternatives.ts
var Alternatives = class {
  #alternatives = /* @__PURE__ */ new Map();
  constructor(groups) {
    for (const [group, alternatives] of groups.entries())
      for (const [alternative, words2] of alternatives.split(" | ").entries())
        for (const word of words2.split(" ")) this.#alternatives.set(word, [group, alternative]);
  }
  has(word) {
    return this.#alternatives.has(word);
  }
  exclude(left, right) {
    const [own, other] = [this.#alternatives.get(left), this.#alternatives.get(right)];
    return own !== void 0 && other !== void 0 && own[0] === other[0] && own[1] !== other[1];
  }
};
var STATES = new Alternatives([
  "enabled activated active on | disabled deactivated inactive off",
  "online up | offline down",
  "connected | disconnected",
  "true | false",
  "open | closed shut",
  "allowed permitted granted | forbidden prohibited disallowed banned denied",
  "required mandatory compulsory | optional",
  "public | private",
  "valid | invalid",
  "correct right | incorrect wrong",
  "possible | impossible",
  "legal | illegal",
  "complete | incomplete",
  "visible | invisible hidden",
  "mutable | immutable",
  "synchronous | asynchronous",
  "accepted approved | rejected declined",
  "empty | full",
  "alive | dead",
  "married | single divorced"
]);
function areOpposite(left, right) {
  return STATES.exclude(left, right) || left === `un${right}` || right === `un${left}`;
}
function isState(word) {
  return STATES.has(word);
}
var COLOURS = new Alternatives([
  "red | orange | yellow | green | blue | purple violet | pink | brown | black | white | grey gray"
]);
function areColours(left, right) {
  return COLOURS.exclude(left, right);
}
var CHOICES = new Alternatives([
  "postgresql postgres | mysql | mariadb | sqlite | oracle | mongodb",
  "npm | yarn | pnpm | bun",
  "git | svn subversion | mercurial",
  "tabs | spaces",
  "dark | light",
  "aisle | window",
  "metric | imperial",
  "celsius | fahrenheit",
  "formal | informal"
]);
function isChoice(word) {
  return CHOICES.has(word);
}
function areChoices(left, right) {
  return CHOICES.exclude(left, right);
}

// src/domain/consistency/updates/choices.ts
var minSupport2 = 2.5;
var mostPairs2 = 200;
var WISH = /\b(?:prefer\p{L}*|wants?|wish(?:es)?|likes?|loves?|would rather|rather|please|contact(?:ed)?|reach(?:ed)?|answers? (?:best )?(?:by|in)|favou?rs?|favou?rite)\b|^(?:write|call|ring|text|use|send|mail)\b|\b(?:write|ring|call|text|mail|message) (?:me|him|her|us|them)\b|bevorzug\p{L}*|möchte|bitte|prefiere|por favor|préfère|希望/iu;
var EXCLUDED = /\b(?:not?|never|without|instead of|rather than|over|kein\p{L}*|nicht|sin|pas de|no more|stop\p{L}*)\b|n['’]t\b/iu;
var CHANNELS = [
  [
    "phone",
    /\b(?:phone|telephone|calls?|called|calling|ring|telefon\p{L}*|anrufen|llam\p{L}+|appeler|téléphone)\b/giu
  ],
  ["mail", /\b(?:e-?mails?|e-?mailed|mails?|inbox|correo|courriel)\b/giu],
  ["chat", /\b(?:chat|slack|teams|direct messages?|dms?|discord)\b/giu],
  ["text message", /\b(?:sms|text messages?|texts?|texted|whatsapp|telegram|signal)\b/giu],
  ["letter", /\b(?:letters?|by post|postal|fax)\b/giu],
  ["video", /\b(?:video calls?|zoom|video link)\b/giu]
];
var languageNames = new Intl.DisplayNames("en", { type: "language" });
var LANGUAGES2 = new Set(
  "en de fr es pt it nl pl tr ru uk sv da no cs fi ja zh ko ar he hi el hu ro".split(" ").map((code) => languageNames.of(code).toLowerCase())
);
var PLAN_NAME = /\b(\p{Lu}\p{L}{2,}) (?:plan|tier|edition|package|subscription|licen[cs]e|tariff)\b/gu;
var PLAN_AFTER = /\b(?:[Pp]lan|[Tt]ier|[Ee]dition|[Ss]ubscription|[Tt]arif(?:f)?)(?: is(?: now)?|:| to)? (\p{Lu}\p{L}{2,})\b|\b(?:[Ss]igned(?: up)? for|[Ss]ubscribed to|moves? up to|[Uu]pgraded to|[Uu]pgrades to|[Dd]owngraded to|[Dd]owngrades to|switched to) (?:the )?(\p{Lu}\p{L}{2,})(?! \p{Lu})/gu;
var KANA_PRESENCE = /([\p{sc=Katakana}ー]{2,}|\p{sc=Han}{2,})(?:は|が)?(なし|無し|不要|禁止|あり|有り|必要|必須)/gu;
var PLAN_OF_OTHERS = /\b(?:need|require|necesit|brauch|ask|consider|interested|compar|quot|only|all|accounts|customers|includ|wants? to)\p{L}*/iu;
function changedChoices(comparison) {
  const [olders, newers] = [
    comparison.older.sentences.flatMap(choicesIn),
    comparison.newer.sentences.flatMap(choicesIn)
  ];
  const updates = [];
  let compared = 0;
  for (const newer of newers)
    for (const older of olders) {
      if (older.choice.kind !== newer.choice.kind) continue;
      if (++compared > mostPairs2) return updates;
      const update = changedChoice(comparison, older, newer);
      if (update) updates.push(update);
    }
  return updates;
}
var known = /* @__PURE__ */ new WeakMap();
function choicesIn(sentence) {
  const found = known.get(sentence) ?? (sentence.isUnsure ? [] : choicesOf(sentence).map((choice) => ({ choice, sentence })));
  known.set(sentence, found);
  return found;
}
function changedChoice(comparison, older, newer) {
  const { kind } = older.choice;
  if (!excludes(older.choice, newer.choice)) return void 0;
  if (kind.startsWith("state ") && !newer.sentence.saysChange) return void 0;
  const shared = sharedSubjects(older.sentence, newer.sentence);
  const isOnes = comparison.isOnePerson || (kind === "channel" || kind === "language" ? namePerson(older.sentence, newer.sentence) : shared.words.length > 0);
  if (!isOnes) return void 0;
  if (shared.own < 1 && !(comparison.older.isNote && comparison.newer.isNote)) return void 0;
  const support = 1.5 + supportOf(kind, shared) + commonSupport(comparison, newer.sentence);
  if (support < minSupport2) return void 0;
  return {
    difference: differenceOf(older.choice, newer.choice),
    words: [older.choice.text, newer.choice.text],
    passages: [older.sentence.text, newer.sentence.text],
    shared: shared.words.slice(0, 4),
    support
  };
}
var VERBS = /^(?:reach|contact|write|call|ring|send|mail|text|prefer|ask|answer|reply|use|chat)/i;
function namePerson(older, newer) {
  return [...newer.subjects.values()].some(
    (subject) => hasCapitals(subject, older) && !VERBS.test(subject.text)
  );
}
function excludes(older, newer) {
  if (older.isExcluded && newer.isExcluded) return false;
  if (older.isExcluded || newer.isExcluded) return older.value === newer.value;
  if (older.kind.startsWith("state ")) return areOpposite(older.value, newer.value);
  if (older.kind === "choice") return areChoices(older.value, newer.value);
  return older.value !== newer.value;
}
function supportOf(kind, { own, around: around2 }) {
  return kind.startsWith("state ") ? own + around2 / 2 - 0.5 : own + around2;
}
function differenceOf(older, newer) {
  if (older.isExcluded !== newer.isExcluded) return "negation";
  return older.kind === "plan" || older.kind === "language" ? "name" : "word";
}
function choicesOf(sentence) {
  const { text } = sentence;
  return [
    ...WISH.test(text) ? wishesIn(text) : [],
    ...plansIn(text),
    ...statesIn(text),
    ...presencesIn(text)
  ];
}
function wishesIn(text) {
  const wishes = [];
  for (const [value, words2] of CHANNELS) {
    const match = [...text.matchAll(words2)][0];
    if (match)
      wishes.push({ kind: "channel", value, text: match[0], isExcluded: isExcluded(text, match.index) });
  }
  for (const { 0: word, index } of text.matchAll(/\p{L}+/gu)) {
    const folded2 = fold(word);
    if (LANGUAGES2.has(folded2) && /\b(?:in|auf|en)\s$/.test(text.slice(Math.max(0, index - 5), index)))
      wishes.push({ kind: "language", value: folded2, text: word, isExcluded: isExcluded(text, index) });
    else if (isChoice(folded2))
      wishes.push({ kind: "choice", value: folded2, text: word, isExcluded: isExcluded(text, index) });
  }
  const wanted = wishes.filter((wish) => !wish.isExcluded);
  const isOpen = (kind) => new Set(wanted.filter((wish) => wish.kind === kind).map(({ value }) => value)).size > 1;
  return wishes.filter((wish) => wish.isExcluded || !isOpen(wish.kind));
}
function isExcluded(text, index) {
  const before = text.slice(Math.max(0, index - 28), index);
  const clause = before.slice(
    Math.max(before.lastIndexOf(","), before.lastIndexOf(";"), before.lastIndexOf(". ")) + 1
  );
  return EXCLUDED.test(clause);
}
function plansIn(text) {
  if (PLAN_OF_OTHERS.test(text)) return [];
  const names2 = [...text.matchAll(PLAN_NAME), ...text.matchAll(PLAN_AFTER)].map(
    ([, first2, second]) => first2 ?? second
  );
  const [name] = names2;
  const isOne = name !== void 0 && new Set(names2).size === 1 && !/^(?:The|Our|Their|This|That|New|My|Your|Plan)$/.test(name);
  return isOne ? [{ kind: "plan", value: name.toLowerCase(), text: name, isExcluded: false }] : [];
}
function statesIn(text) {
  const states = [];
  for (const { 1: verb, 2: word, index } of text.matchAll(/(?<!\p{L})(\p{L}{2,})\s(?=(\p{L}{2,}))/gu)) {
    const state = fold(word);
    if (!isState(state)) continue;
    const kind = /^(?:is|are|was|were|be|am|now|currently|still)$/i.test(verb) ? "be" : fold(verb).replace(/s$/, "");
    if (kind !== "be" && !/^(?:fail|stay|remain|run|default|turn|switch|set|default)/.test(kind)) continue;
    states.push({ kind: `state ${kind}`, value: state, text: word, isExcluded: isExcluded(text, index) });
  }
  return states;
}
function presencesIn(text) {
  return [...text.matchAll(KANA_PRESENCE)].map(([all2, noun, presence]) => ({
    kind: `presence ${noun}`,
    value: "present",
    text: all2,
    isExcluded: /なし|無し|不要|禁止/.test(presence)
  }));
}

// src/domain/consistency/place-names.ts
var countries = /* @__PURE__ */ new Set();
var names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
var letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
for (const first2 of letters)
  for (const second of letters) {
    const name = names.of(first2 + second);
    if (name !== void 0) countries.add(name.toLowerCase());
  }
var REGIONS = new Set(
  "uk|britain|great britain|england|scotland|wales|northern ireland|us|usa|america|holland|turkey|uae|korea|czech republic|eu|europe|asia|africa|north america|south america|latin america|oceania|scandinavia|bavaria|saxony|catalonia|tuscany|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|west virginia|wisconsin|wyoming|ontario|quebec".split("|")
);
function mayOverlap(left, right) {
  if (REGIONS.has(left) || REGIONS.has(right)) return true;
  return countries.has(left) !== countries.has(right);
}

// src/domain/consistency/updates/holders.ts
var minSupport3 = 2.5;
var mostPairs3 = 200;
var NAME = String.raw`(?:(?:Dr|Mr|Mrs|Ms|Prof|Sra?|Dra?|Frau|Herr)\.? )?\p{Lu}[\p{L}’'-]{1,40}(?: \p{Lu}[\p{L}’'-]{1,40}){0,2}`;
var ROLE = `(?:${"owner maintainer lead leader manager boss contact paediatrician pediatrician doctor dentist therapist teacher tutor coach trainer landlord landlady accountant lawyer vet cleaner nanny babysitter assistant director ceo cto cfo chair president captain provider supplier vendor carrier insurer bank host editor region timezone capital stand-in deputy successor approver reviewer sponsor".split(" ").map((role) => `[${role[0].toUpperCase()}${role[0]}]${role.slice(1)}`).join("|")})`;
var GERMAN_ROLE = String.raw`(?:Ansprechpartner(?:in)?|Vermieter(?:in)?|Lehrer(?:in)?|Kinderarzt|Kinderärztin|Hausarzt|Hausärztin|Leiter(?:in)?)`;
var HOLDING = [
  [
    new RegExp(
      String.raw`\b(?<role>${ROLE})(?: (?:of|for|at|in) [^.,;:]{2,40}?)?(?: is(?: now| currently)?|:| became| will be) (?<name>${NAME})`,
      "gu"
    )
  ],
  [
    new RegExp(
      String.raw`(?<role>${GERMAN_ROLE})(?: \p{L}+){0,3}? ?(?:ist(?: jetzt| nun)?|:) (?<name>${NAME})`,
      "gu"
    )
  ],
  [
    new RegExp(
      String.raw`(?<name>${NAME}) (?:is|becomes|became|will be)(?: now)?(?: (?:the|our|my|their|his|her))?(?: \p{L}[\p{L}-]+)? (?<role>${ROLE})\b`,
      "gu"
    )
  ],
  [
    new RegExp(
      String.raw`(?<name>${NAME})(?: now)? (?:owns|maintains|takes over|took over|takes it over|has taken over|looks after)\b`,
      "gu"
    ),
    "owner"
  ],
  [new RegExp(String.raw`\b(?:owned|maintained|looked after) by (?<name>${NAME})`, "gu"), "owner"]
];
var PLACE = String.raw`\p{Lu}[\p{L}.'’-]{1,40}(?: \p{Lu}[\p{L}.'’-]{1,40}){0,2}`;
var ADDRESS = String.raw`(?:\p{Lu}[\p{L}.'’-]{0,40}(?:straße|strasse|str\.|gasse|weg|platz|allee|ring|ufer|damm|gatan|vej|straat|laan)|(?:Rua|Calle|Rue|Via|Avenida|Plaza|Praça)(?: d[aeo]s?)? ${PLACE}|${PLACE}) \d{1,4}[a-z]?\b|\d{1,5} ${PLACE} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Way|Court|Square|Boulevard)\b`;
var AT_PLACE = new RegExp(
  String.raw`\b(?:lives|(?<=\b(?:I|[Ww]e|[Tt]hey|[Mm]y \p{L}+) (?:now )?)live|living|based|located|(?:office|flat|apartment|house|headquarters|address|shop|practice|studio)(?: is| are|:)?(?: now)?|resid\p{L}+|works?(?: from)?|mov(?:ed|es|ing)|relocat(?:ed|es|ing))(?: back)?(?: from [^.,;]{2,30}?)?(?: (?:at|in|to|from|on))? (?<name>${ADDRESS}|${PLACE})`,
  "gu"
);
var PLURAL = /\b(?:they|their|them|we|our|us)\b/iu;
function changedHolders(comparison) {
  const [olders, newers] = [
    comparison.older.sentences.flatMap(holdersIn),
    comparison.newer.sentences.flatMap(holdersIn)
  ];
  const updates = [];
  let compared = 0;
  for (const newer of newers)
    for (const older of olders) {
      if (older.role !== newer.role) continue;
      if (++compared > mostPairs3) return updates;
      const update = changedHolder(comparison, older, newer);
      if (update) updates.push(update);
    }
  return updates;
}
var known2 = /* @__PURE__ */ new WeakMap();
function holdersIn(sentence) {
  const found = known2.get(sentence) ?? (sentence.isUnsure ? [] : holdingsOf(sentence));
  known2.set(sentence, found);
  return found;
}
function changedHolder(comparison, older, newer) {
  const [own, other] = [older.name, newer.name].map(
    (name) => fold(name).replace(/^(?:dr|mr|mrs|ms|prof|frau|herr)\.? /, "")
  );
  if (own === other || own.includes(other) || other.includes(own)) return void 0;
  const isPlace = older.role === "place";
  if (isPlace && mayOverlap(own, other)) return void 0;
  if (isPlace && older.sentence.isPast && !newer.sentence.saysChange) return void 0;
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  const shared = sharedSubjects(older.sentence, newer.sentence, /* @__PURE__ */ new Set([stem(older.role)]));
  const areBothPlural = PLURAL.test(older.sentence.text) && PLURAL.test(newer.sentence.text);
  const support = 1.5 + shared.own + shared.around + (areBothPlural ? 0.75 : 0) + commonSupport(comparison, { ...newer.sentence, saysChange: saysChange2(newer.sentence) });
  if (!areBothPlural && !isSameThing(comparison, older, newer)) return void 0;
  if (support < minSupport3 || shared.own < 1 && !areNotes) return void 0;
  return {
    difference: "name",
    words: [older.name, newer.name],
    passages: [older.sentence.text, newer.sentence.text],
    shared: shared.words.slice(0, 4),
    support
  };
}
function isSameThing({ isOnePerson }, older, newer) {
  const [own, others] = [thingsOf(older), thingsOf(newer)];
  const [fewer, more] = own.length <= others.length ? [own, newer.sentence] : [others, older.sentence];
  if (fewer.length === 0) return isOnePerson || saysChange2(newer.sentence);
  return fewer.every((key) => more.subjects.has(key) || more.around.has(key));
}
function saysChange2(sentence) {
  return sentence.saysChange || /\bnew\b/i.test(sentence.text);
}
function thingsOf({ role, name, sentence }) {
  const named = new Set(name.split(/[\s-]/).map(keyOf2));
  return [...sentence.subjects.values()].filter((subject) => weightOf(subject) > 0 && subject.key !== role && !named.has(subject.key)).filter(({ text }) => !/^(?:own|liv|locat|mov|relocat|maintain|tak|work)/i.test(text)).map(({ key }) => key);
}
function holdingsOf(sentence) {
  const holdings = [];
  for (const [pattern, role] of HOLDING)
    for (const { groups } of sentence.text.matchAll(pattern)) {
      const name = groups["name"];
      const named = role ?? fold(groups["role"]);
      if (/^(?:\p{Ll}|The |A |I$|We$|They$|It$|He$|She$)/u.test(name)) continue;
      holdings.push({ role: stem(named === "maintainer" ? "owner" : named), name, sentence });
    }
  for (const { groups } of sentence.text.matchAll(AT_PLACE))
    holdings.push({ role: "place", name: groups["name"].replace(/[.’']+$/, ""), sentence });
  return holdings;
}

// src/domain/consistency/updates/ended.ts
var minSupport4 = 2.5;
var mostPairs4 = 200;
var reach = 70;
var negationReach = 25;
var mostWords = 4;
var ENDED_AFTER = /\b(?:no longer|no more|stop(?:s|ped)|stop(?= \p{L}+ing\b)|quit(?:s)?|ga?ve up|given up|giv(?:es|ing) up|drop(?:s|ped)(?! (?:off|by|in)\b)|abandon(?:s|ed)|cancel(?:s|led|ed)|ha(?:s|ve) left|ha(?:s|ve) replaced|discontinued|got rid of|moved out of|(?:switch|migrat|mov|chang)(?:es|ed|ing|e)? (?:over |away )?(?:from|off)|unsubscribed from|nicht mehr|ya no|n'utilise plus|non \p{L}+ più|niet meer|już nie|больше не)\s/iu;
var ENDED_AROUND = /(?:\b(?:not|never)\b|n['’]t\b)\s(.{2,70}?)\s(?:any ?more|any longer)\b|\bkeine?[nmrs]?\s(.{2,40}?)\smehr\b|\bne\s(.{2,40}?)\splus\b/iu;
var ENDED_BEFORE = /\s(?:(?:has|have|is|was|are|were|been|'s)\s)+(?:now\s)?(?:retired|left(?! \p{Lu})|closed (?:down|for good)|gone|discontinued|cancelled|canceled|abolished|dissolved|frozen for good|shut down|switched off|sold|scrapped|abandoned|no longer \p{L}+)\b|\sno longer\b|\s(?<=\p{Lu}\p{L}+\s)(?:left(?! \p{Lu})|retired|quit|resigned|died|passed away)\b/u;
var NEGATED = /\b(?:not|no|never|without|none|cannot|stopp?(?:s|ed)?|ended|former|formerly|used to|kein\p{L}*|nicht|sin|sans)\b|n['’]t\b/iu;
function ended(comparison) {
  const { older, newer } = comparison;
  const updates = [];
  let compared = 0;
  for (const { sentence, objects } of newer.sentences.flatMap(endsIn)) {
    const indexes = new Set(objects.flatMap(({ key }) => older.bySubject.get(key) ?? []));
    for (const index of indexes) {
      if (++compared > mostPairs4) return updates;
      const update = endedSentence(comparison, objects, older.sentences[index], sentence);
      if (update) updates.push(update);
    }
  }
  return updates;
}
var known3 = /* @__PURE__ */ new WeakMap();
function endsIn(sentence) {
  const found = known3.get(sentence) ?? (sentence.isUnsure ? [] : endedIn(sentence).map((objects) => ({ sentence, objects })));
  known3.set(sentence, found);
  return found;
}
function endedSentence(comparison, objects, older, newer) {
  if (older.isUnsure || older.isPast) return void 0;
  const common = objects.filter(({ key }) => older.subjects.has(key) && !isNegated(older, key));
  if (common.length < Math.max(1, objects.length / 2)) return void 0;
  const shared = sharedSubjects(older, newer);
  const isNamed = ({ isName: isName3, key }) => isName3 || older.subjects.get(key)?.isName === true;
  const named = common.some(isNamed);
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  const isSure = areNotes || common.length > 1 && common.length === objects.length;
  const isOnes = named || common.length > 1 || comparison.isOnePerson || [...newer.subjects.values()].some(
    (subject) => older.subjects.has(subject.key) && (isNamed(subject) || hasCapitals(subject, older))
  );
  if (!isSure || !isOnes) return void 0;
  const support = shared.own + shared.around + commonSupport(comparison, { ...newer, saysChange: true }) + (named ? 0.5 : 0);
  if (support < minSupport4) return void 0;
  const [first2, last] = [common[0], common.at(-1)];
  return {
    difference: "negation",
    words: [
      older.subjects.get(first2.key).text,
      newer.text.slice(first2.start, last.start + last.text.length)
    ],
    passages: [older.text, newer.text],
    shared: shared.words.slice(0, 4),
    support
  };
}
function isNegated({ text, subjects }, key) {
  const { start } = subjects.get(key);
  return NEGATED.test(text.slice(Math.max(0, start - negationReach), Math.max(0, start)));
}
function endedIn(sentence) {
  const { text } = sentence;
  const ranges = [];
  const after = ENDED_AFTER.exec(text);
  if (after && !isDenied(text, after.index)) {
    const [start, end] = clauseFrom(text, after.index + after[0].length);
    const to = /\bfrom\s$/i.test(after[0]) ? text.slice(start, end).search(/\sto\s/) : -1;
    ranges.push([start, to === -1 ? end : start + to]);
  }
  const between = ENDED_AROUND.exec(text);
  if (between) {
    const object = between[1] ?? between[2] ?? between[3];
    const start = between.index + between[0].indexOf(object);
    ranges.push([start, start + object.length]);
  }
  const before = ENDED_BEFORE.exec(text);
  if (before) ranges.push(clauseUpTo(text, before.index));
  return ranges.map(
    ([start, end]) => [...sentence.subjects.values()].filter((subject) => subject.start >= start && subject.start < end && weightOf(subject) > 0).sort((a, b) => a.start - b.start).slice(0, mostWords)
  ).filter((objects) => objects.length > 0 && !objects.every(({ key }) => STOP_WORDS.has(key)));
}
function isDenied(text, end) {
  return /(?:\b(?:not|never|would)|n['’]t)\s(?:\p{L}+\s){0,2}$/iu.test(
    text.slice(Math.max(0, end - 20), end)
  );
}
var CLAUSE_END2 = /[,;:.()](?=\s|$)|\s(?:because|since|and|but|so|as|if|when|after|weil|aber|und|porque|pero)\s|\s[-–—→]/iu;
function clauseFrom(text, start) {
  const rest = text.slice(start, start + reach);
  const end = CLAUSE_END2.exec(rest)?.index ?? rest.length;
  return [start, start + end];
}
function clauseUpTo(text, end) {
  const from = Math.max(0, end - reach);
  const before = text.slice(from, end);
  const ends = [...before.matchAll(new RegExp(CLAUSE_END2, "giu"))].at(-1);
  return [from + (ends ? ends.index + ends[0].length : 0), end];
}
var RESUMED = /\b(?:back on|on again|again|resum\p{L}+|allowed again|ok again|back in use|wieder)\b/iu;
function resumed(comparison) {
  const { older, newer } = comparison;
  const updates = [];
  let compared = 0;
  for (const sentence of newer.sentences) {
    const resumes = RESUMED.exec(sentence.text);
    if (!resumes || sentence.isUnsure || NEGATED.test(sentence.text.slice(clauseUpTo(sentence.text, resumes.index)[0])))
      continue;
    const [start, end] = clauseUpTo(sentence.text, resumes.index);
    for (const object of sentence.subjects.values()) {
      if (object.start < start || object.start >= end || weightOf(object) === 0) continue;
      for (const index of older.bySubject.get(object.key) ?? []) {
        if (++compared > mostPairs4) return updates;
        const excluded = older.sentences[index];
        const other = excluded.subjects.get(object.key);
        const [from, to] = [Math.max(0, other.start - negationReach), Math.max(0, other.start)];
        const negation = NEGATED.exec(excluded.text.slice(from, to));
        if (!negation || excluded.isUnsure) continue;
        const shared = sharedSubjects(excluded, sentence);
        const support = shared.own + shared.around + commonSupport(comparison, { ...sentence, saysChange: true });
        if (support < minSupport4) continue;
        updates.push({
          difference: "negation",
          words: [
            excluded.text.slice(from + negation.index, to + other.text.length),
            `${object.text} ${resumes[0]}`
          ],
          passages: [excluded.text, sentence.text],
          shared: shared.words.slice(0, 4),
          support
        });
      }
    }
  }
  return updates;
}

// src/domain/consistency/updates/find-update.ts
var RULES = [
  changedValues,
  changedChoices,
  changedHolders,
  ended,
  resumed
];
function findUpdate(comparison) {
  if (!comparison.older.isNote && !comparison.newer.isNote) return void 0;
  const updates = RULES.flatMap((rule) => rule(comparison)).filter(
    ({ passages: [older, newer] }) => !comparison.newer.texts.has(older) && !comparison.older.texts.has(newer)
  );
  return updates.reduce(
    (best, update) => best === void 0 || update.support > best.support ? update : best,
    void 0
  );
}
function* preparedIndex(text) {
  const sentences = yield* indexSteps(text);
  for (const [index, sentence] of sentences.sentences.entries()) {
    choicesIn(sentence);
    holdersIn(sentence);
    endsIn(sentence);
    if (index % 8 === 7) yield;
  }
  return sentences;
}

// src/domain/consistency/updates/compare-sentences.ts
function compareSentences(left, right, [own, others]) {
  if (!mayDescribeSameEntity(left, right)) return void 0;
  const isOnePerson = haveSameSpeaker(left, right);
  const order = orderByAge(left, right);
  const forwards = order?.older === right ? void 0 : findUpdate({ older: own, newer: others, isOnePerson });
  const backwards = order?.older === left ? void 0 : findUpdate({ older: others, newer: own, isOnePerson });
  if (order) {
    const update2 = forwards ?? backwards;
    if (!update2) return void 0;
    return {
      kind: "supersession",
      older: order.older.id,
      newer: order.newer.id,
      reason: reasonOf(update2)
    };
  }
  const update = backwards && backwards.support > (forwards?.support ?? 0) ? mirrored(backwards) : forwards;
  return update ? { kind: "contradiction", memories: [left.id, right.id], reason: reasonOf(update) } : void 0;
}
function mirrored(update) {
  const { words: words2, passages } = update;
  return { ...update, words: [words2[1], words2[0]], passages: [passages[1], passages[0]] };
}
function reasonOf({ difference, words: words2, passages, shared, support }) {
  const subject = shared.length === 0 ? "" : ` about ${shared.join(", ")}`;
  return {
    code: "update",
    detail: `another ${difference}${subject}: ${JSON.stringify(words2[0])}, then ${JSON.stringify(words2[1])}`,
    confidence: confidenceOf2(support),
    difference,
    words: words2,
    passages,
    shared
  };
}
function confidenceOf2(support) {
  return Math.min(0.9, Math.round((0.7 + (support - 2.5) * 0.1) * 20) / 20);
}

// src/domain/consistency/alignment.ts
function align(left, right) {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i2 = left.length - 1; i2 >= 0; i2--)
    for (let j2 = right.length - 1; j2 >= 0; j2--)
      lengths[i2 * width + j2] = left[i2].key === right[j2].key ? lengths[(i2 + 1) * width + j2 + 1] + 1 : Math.max(lengths[(i2 + 1) * width + j2], lengths[i2 * width + j2 + 1]);
  const shared = [];
  const gaps = [];
  let open = { left: [], right: [] };
  const close = () => {
    if (open.left.length + open.right.length > 0) gaps.push({ ...open, before: [...shared] });
    open = { left: [], right: [] };
  };
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i].key === right[j].key) {
      close();
      shared.push(left[i]);
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) open.left.push(left[i++]);
    else open.right.push(right[j++]);
  }
  open.left.push(...left.slice(i));
  open.right.push(...right.slice(j));
  close();
  return { shared, gaps };
}

// src/domain/consistency/conflict.ts
var uncertain = 0.5;
var singleWords = (excludes2) => ({ own, others }) => own.length === 1 && others.length === 1 && excludes2(own[0], others[0]);
var PREDICATES = [
  {
    difference: "date",
    confidence: 0.8,
    before: /. (?:(?:is|was)(?: now)?(?: (?:due|scheduled|planned|set|born|founded|released|launched))?|starts|begins|ends|expires|launches)(?: (?:on|in|by|for))? $/,
    excludes: ({ before, own, others }) => datesDiffer(own, others) && (/ (?:on|in|by|for) $/.test(before) || !isYear(own))
  },
  {
    difference: "number",
    confidence: 0.8,
    before: /. (?:(?:is|am|equals|costs|weighs)(?: (?:now|currently|exactly|set to|at))*|(?:starts|begins|ends) at) $/,
    excludes: ({ own, others }) => numbersDiffer(own, others)
  },
  {
    difference: "number",
    confidence: uncertain,
    before: /. (?:has|have) $/,
    excludes: ({ own, others, after }) => after.length > 0 && numbersDiffer(own, others)
  },
  {
    difference: "name",
    confidence: 0.6,
    before: /. (?:lives|was born) in $|^(?:.* )?i (?:now |currently )?live in $|. (?:is|am|are) (?:based|located|hosted) in $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.every((word) => word === "now") && !mayOverlap(contrast.own.join(" "), contrast.others.join(" "))
  },
  {
    difference: "name",
    confidence: uncertain,
    before: /. works (?:at|for) $|^i work (?:at|for) $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0
  },
  {
    difference: "name",
    confidence: 0.6,
    // Only roles and properties with one value. People have several friends, and "the cook is" can continue with Italian or Anna.
    before: /(?:^|. )(?:lead|leader|owner|manager|boss|ceo|cto|cfo|director|chair|president|capital|database|winner|name|region|timezone|currency|husband|wife|mother|father|birthplace|hometown|headquarters|(?:default|main|primary|native) \S+)(?: (?:of|for) .+)? is(?: now| currently)? $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0
  },
  {
    difference: "word",
    confidence: 0.8,
    before: /. (?:is|are|am)(?: (?:now|currently|always|set to|turned|switched))? $/,
    excludes: (contrast) => singleWords(areOpposite)(contrast) && (contrast.after.length === 0 || !isParticle(contrast.own[0]))
  },
  {
    difference: "word",
    confidence: uncertain,
    // Singular only: in the plural, some can be red and others green.
    before: /. is(?: now| currently)? $/,
    excludes: (contrast) => singleWords(areColours)(contrast) && contrast.after.length === 0
  },
  {
    difference: "word",
    confidence: uncertain,
    before: /. (?:uses|prefers) $|^(?:i|we) (?:use|prefer) $/,
    excludes: singleWords(areChoices)
  }
];
function findConflict(left, right) {
  if (left.negated || right.negated) {
    if (left.negated && right.negated) return void 0;
    const isNegated3 = left.negated ? negates(left.negated, right) : negates(right.negated, left);
    if (!isNegated3) return void 0;
    const contrast = contrastOf(left, right, () => false);
    return { difference: "negation", words: wordsOf2(contrast), confidence: 0.8 };
  }
  for (const { difference, confidence: confidence3, before, excludes: excludes2 } of PREDICATES) {
    const contrast = contrastOf(left, right, difference === "date" ? isDatePart : isNumeral);
    const [own, others] = [contrast.own.join(" "), contrast.others.join(" ")];
    if (own === others || own === "" || others === "") continue;
    if (contrast.after.some((word) => word === "or" || word === "and")) continue;
    if (before.test(contrast.before) && excludes2(contrast))
      return { difference, words: wordsOf2(contrast), confidence: confidence3 };
  }
  return void 0;
}
function negates({ words: words2, verb }, { words: assertedWords }) {
  const variants = verb === void 0 ? [words2] : inflected(words2[verb]).map((form2) => words2.with(verb, form2));
  const plain2 = withoutArticles(assertedWords);
  const withoutAlways = withoutArticles(assertedWords.filter((word) => word !== "always"));
  return variants.map(withoutArticles).some((variant) => variant === plain2 || variant === withoutAlways);
}
function withoutArticles(words2) {
  return words2.filter((word) => !["a", "an", "any"].includes(word)).join(" ");
}
function inflected(verb) {
  return verb === "have" ? ["has"] : [`${verb}s`, `${verb}es`, verb.replace(/y$/, "ies")];
}
function contrastOf(left, right, isPartOfValue) {
  const [own, others] = [left.words, right.words];
  const shortest = Math.min(own.length, others.length);
  let start = 0;
  while (start < shortest && own[start] === others[start]) start++;
  let end = 0;
  while (end < shortest - start && own.at(-1 - end) === others.at(-1 - end)) end++;
  while (start > 0 && isPartOfValue(own[start - 1])) start--;
  while (end > 0 && isPartOfValue(own.at(-end))) end--;
  const middle = (items) => items.slice(start, items.length - end);
  return {
    before: own.slice(0, start).map((word) => `${word} `).join(""),
    left: middle(left.tokens),
    right: middle(right.tokens),
    own: middle(own),
    others: middle(others),
    after: own.slice(own.length - end)
  };
}
function wordsOf2({ left, right }) {
  const textOf2 = (tokens) => tokens.map(({ text }) => text).join(" ");
  return [textOf2(left), textOf2(right)];
}
function isYear(words2) {
  return words2.length === 1 && /^\d{4}$/.test(words2[0]);
}
function isParticle(word) {
  return ["on", "off", "up", "down"].includes(word);
}
function areNames({ left, right }) {
  return [left, right].every(
    (tokens) => tokens.length > 0 && tokens.length < 4 && tokens.every(({ text }) => /^\p{Lu}/u.test(text))
  );
}

// src/domain/consistency/changed-wording.ts
var minSimilarity = 0.7;
var minContentWords = 3;
var minContentWordsBefore = 2;
var maxGapWords = 4;
var NEGATIONS = new Set(
  "not no never none cannot without can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't haven't hadn't".split(
    " "
  )
);
var AUXILIARIES = new Set("do does did is are was were has have had will would can be been any".split(" "));
var CALENDAR = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)$/;
var DAY2 = /^[0-3]?\d(?:st|nd|rd|th)?$/;
var NUMBERS2 = new Set(
  "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred".split(
    " "
  )
);
var NUMBERED2 = /^(?:step|phase|sprint|chapter|section|part|question|problem|exercis|task|item|day|week|figur|tabl|option|issu)$/;
var confidenceOf3 = {
  number: 0.8,
  date: 0.8,
  negation: 0.8,
  name: 0.6
};
function compareWording(left, right, wordings) {
  const conflict = mayDescribeSameEntity(left, right) ? findTextConflict(left, right, wordings) : void 0;
  if (!conflict) return void 0;
  const { difference, words: words2, confidence: confidence3 } = conflict;
  const order = orderByAge(left, right);
  const olderFirst = (pair) => order?.newer === left ? [pair[1], pair[0]] : pair;
  const orderedWords = olderFirst(words2);
  const reason = {
    code: "wording",
    detail: `the same text with another ${difference}: ${JSON.stringify(orderedWords[0])}, ${JSON.stringify(orderedWords[1])}`,
    confidence: confidence3,
    difference,
    words: orderedWords,
    passages: olderFirst([wordings[0].text, wordings[1].text])
  };
  return order ? { kind: "supersession", older: order.older.id, newer: order.newer.id, reason } : { kind: "contradiction", memories: [left.id, right.id], reason };
}
function findTextConflict(left, right, [{ shortText, assertion }, { shortText: otherShortText, assertion: otherAssertion }]) {
  const areAssertions = assertion !== void 0 && otherAssertion !== void 0;
  const isOneSpeaker = !(assertion?.isPersonal ?? false) || haveSameSpeaker(left, right);
  const conflict = areAssertions && isOneSpeaker ? findConflict(assertion, otherAssertion) : void 0;
  if (conflict || !shortText || !otherShortText) return conflict;
  const difference = differenceOf2(shortText, otherShortText);
  return areAssertions && difference?.difference === "negation" ? void 0 : difference;
}
function differenceOf2(left, right) {
  const { shared, gaps } = align(left.tokens, right.tokens);
  if (2 * shared.length / (left.tokens.length + right.tokens.length) < minSimilarity) return void 0;
  if (shared.filter(isContent).length < minContentWords) return void 0;
  const relevant = gaps.filter((gap2) => !hasOnlyStopWords(gap2));
  const [gap] = relevant;
  if (!gap || relevant.length > 1) return void 0;
  const difference = kindOf2(gap);
  if (!difference) return void 0;
  if (difference !== "negation" && gap.before.filter(isContent).length < minContentWordsBefore)
    return void 0;
  return { difference, words: [textOf(gap.left), textOf(gap.right)], confidence: confidenceOf3[difference] };
}
function kindOf2({ left, right, before }) {
  if (left.length > maxGapWords || right.length > maxGapWords) return void 0;
  if (isNegated2(left) !== isNegated2(right)) {
    const rest = [...left, ...right].filter(({ key }) => !NEGATIONS.has(key) && !AUXILIARIES.has(key));
    const isHedged = before.some(({ text }) => HEDGED.has(text.toLowerCase()));
    return rest.length === 0 && !isHedged ? "negation" : void 0;
  }
  const [own, other] = [valuesOf(left), valuesOf(right)];
  if (own.length === 0 || other.length === 0) return void 0;
  if (isDate(own) && isDate(other)) return "date";
  if (all(own, isNumber) && all(other, isNumber)) {
    if (amountOf2(own) === amountOf2(other)) return void 0;
    const last = before.at(-1);
    return last && (NUMBERED2.test(last.key) || isName2(last)) ? void 0 : "number";
  }
  return all(own, isName2) && all(other, isName2) ? "name" : void 0;
}
function hasOnlyStopWords({ left, right }) {
  return [...left, ...right].every(
    ({ key }) => STOP_WORDS.has(key) && !NEGATIONS.has(key) && !NUMBERS2.has(key)
  );
}
function isNegated2(tokens) {
  return tokens.some(({ key }) => NEGATIONS.has(key));
}
function valuesOf(tokens) {
  return tokens.filter(({ key }) => !STOP_WORDS.has(key));
}
function all(tokens, is) {
  return tokens.every(is);
}
function isNumber({ key }) {
  return /^\p{N}/u.test(key) || NUMBERS2.has(key) || key === "%";
}
function isDate(tokens) {
  return tokens.some(isCalendar2) && tokens.every((token) => isCalendar2(token) || DAY2.test(token.key));
}
function isCalendar2({ text }) {
  return CALENDAR.test(text.toLowerCase());
}
function isName2({ text }) {
  return /^\p{Lu}/u.test(text) || /[\p{N}_]/u.test(text) || /\p{Ll}\p{Lu}/u.test(text);
}
function amountOf2(tokens) {
  return tokens.map(({ key }) => plainNumber(key)).join(" ");
}
function textOf(tokens) {
  return tokens.map(({ text }) => text).join(" ");
}

// src/domain/consistency/detect-inconsistencies.ts
function* inconsistencySteps(statements, links) {
  const sorted = [...statements].sort((left, right) => left.id < right.id ? -1 : 1);
  const ids = new Set(sorted.map(({ id }) => id));
  const wording = yield* verdictsFromWording(sorted);
  return collect([
    ...supersessionsFromLinks(ids, links.supersessions),
    ...contradictionsFromLinks(ids, links.contradicts),
    ...yield* verdictsFromFields(sorted),
    ...wording,
    ...yield* verdictsFromSentences(sorted, new Set(wording.map(pairOf)))
  ]);
}
var known4 = /* @__PURE__ */ new WeakMap();
function* verdictsFromSentences(statements, explained) {
  if (statements.length < 2) return [];
  const verdicts = [];
  const sentences = [];
  for (const statement of statements) {
    const prepared = known4.get(statement) ?? (yield* preparedIndex(statement.content));
    known4.set(statement, prepared);
    sentences.push(prepared);
    yield;
  }
  for (const [index, left] of statements.entries())
    for (const [offset, right] of statements.slice(index + 1).entries()) {
      if (explained.has(`${left.id} ${right.id}`)) continue;
      const verdict = compareSentences(left, right, [sentences[index], sentences[index + 1 + offset]]);
      if (verdict) verdicts.push(verdict);
      yield;
    }
  return verdicts;
}
function pairOf(verdict) {
  const ids = verdict.kind === "contradiction" ? verdict.memories : [verdict.older, verdict.newer];
  return [...ids].sort().join(" ");
}
function* verdictsFromFields(statements) {
  const declarations = [];
  for (const statement of statements) {
    declarations.push(findDeclarations(statement));
    yield;
  }
  const verdicts = [];
  for (const [index, left] of statements.entries())
    for (const [offset, right] of statements.slice(index + 1).entries()) {
      verdicts.push(...declaredSupersessions(left, declarations[index], right));
      verdicts.push(...declaredSupersessions(right, declarations[index + 1 + offset], left));
      const verdict = compareFields(left, right);
      if (verdict) verdicts.push(verdict);
      yield;
    }
  return verdicts;
}
function* verdictsFromWording(statements) {
  const wordings = [];
  for (const { content: text } of statements) {
    wordings.push({ text, shortText: shortTextOf(text), assertion: parseAssertion(text) });
    yield;
  }
  const pairs2 = [
    ...similarPairs(wordings.map(({ shortText }) => shortText)),
    ...assertionPairs(wordings.map(({ assertion }) => assertion))
  ];
  const distinct2 = new Map(pairs2.map((pair) => [pair.join(" "), pair]));
  const verdicts = [];
  for (const [left, right] of distinct2.values()) {
    const verdict = compareWording(statements[left], statements[right], [
      wordings[left],
      wordings[right]
    ]);
    if (verdict) verdicts.push(verdict);
    yield;
  }
  return verdicts;
}
function collect(verdicts) {
  const contradictions = /* @__PURE__ */ new Map();
  const supersessions = /* @__PURE__ */ new Map();
  for (const verdict of verdicts) {
    if (verdict.kind === "contradiction") {
      const [first2, second] = [...verdict.memories].sort();
      const key = `${first2} ${second}`;
      const known5 = contradictions.get(key) ?? { memories: [first2, second], reasons: [] };
      known5.reasons.push(verdict.reason);
      contradictions.set(key, known5);
    } else {
      const { older: memory, newer: supersededBy } = verdict;
      const key = `${memory} ${supersededBy}`;
      const known5 = supersessions.get(key) ?? { memory, supersededBy, reasons: [] };
      known5.reasons.push(verdict.reason);
      supersessions.set(key, known5);
    }
  }
  return { contradictions: sortByConfidence(contradictions), supersessions: sortByConfidence(supersessions) };
}
function sortByConfidence(entries) {
  return [...entries].sort(([left], [right]) => left < right ? -1 : 1).map(([, entry]) => {
    const reasons = [...entry.reasons].sort((left, right) => right.confidence - left.confidence);
    return { ...entry, confidence: reasons[0].confidence, reasons };
  });
}

// src/domain/group-by.ts
function groupBy(rows, keyOf3) {
  const groups = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const key = keyOf3(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

// src/domain/links/supersession-graph.ts
var SupersessionGraph = class {
  #bySuperseded = /* @__PURE__ */ new Map();
  constructor(links) {
    for (const link of links) {
      const known5 = this.#bySuperseded.get(link.target);
      if (known5) known5.push(link);
      else this.#bySuperseded.set(link.target, [link]);
    }
  }
  /**
   * The newest version of `id`: the memory at the end of its chains that nothing supersedes. If there are several, the one
   * created last (ids sort by creation). Undefined if nothing supersedes `id`, or if all chains end in cycles, which have no
   * newest member.
   */
  newest(id) {
    const seen = /* @__PURE__ */ new Set();
    const waiting = [id];
    let newest;
    for (const from of waiting) {
      for (const { source } of this.#bySuperseded.get(from) ?? []) {
        if (seen.has(source)) continue;
        seen.add(source);
        waiting.push(source);
        const isEnd = !this.#bySuperseded.has(source);
        if (isEnd && (newest === void 0 || source > newest)) newest = source;
      }
    }
    return newest;
  }
  /**
   * The shortest chain of links from `id` to each memory that supersedes it, directly or not. Includes `id` itself if it is part
   * of a cycle.
   */
  chains(id) {
    const chains = /* @__PURE__ */ new Map();
    const waiting = [{ id, chain: [] }];
    for (const { id: from, chain } of waiting) {
      for (const link of this.#bySuperseded.get(from) ?? []) {
        if (chains.has(link.source)) continue;
        const longer = [...chain, link];
        chains.set(link.source, longer);
        waiting.push({ id: link.source, chain: longer });
      }
    }
    return chains;
  }
};

// src/domain/text/sentences.ts
var segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
var ABBREVIATION = /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Nr|No|vs|approx|ca|e\.g|i\.e|z\.B|bzw|Sra?|Dra?|Mme|[A-Z]|\d{1,2})\.\s*$/u;
function sentencesOf(text, { start, end } = { start: 0, end: text.length }) {
  const sentences = [];
  let from;
  for (const { segment, index } of segmenter.segment(text.slice(start, end))) {
    from ??= index;
    if (ABBREVIATION.test(segment)) continue;
    push(sentences, text, start + from, start + index + segment.length);
    from = void 0;
  }
  if (from !== void 0) push(sentences, text, start + from, end);
  return sentences;
}
function push(sentences, text, from, until) {
  const span = trimmed(text, { start: from, end: until });
  if (span) sentences.push(span);
}
function trimmed(text, { start, end }) {
  const part = text.slice(start, end);
  const leading = part.length - part.trimStart().length;
  return leading === part.length ? void 0 : { start: start + leading, end: start + part.trimEnd().length };
}

// src/domain/context/replacements.ts
var mostCompared = 10;
var longest = 2e3;
var mostSentences = 2;
var leastConfidence = 0.8;
var noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };
function* replacementSteps(memories) {
  const compared = memories.filter(({ content }) => content.length <= longest).slice(0, mostCompared);
  const places = groupBy(
    compared,
    ({ layer, scope }) => JSON.stringify([layer, scopeKeys.map((key) => scope[key])])
  );
  const replaced = /* @__PURE__ */ new Map();
  for (const group of places.values()) {
    if (group.length < 2) continue;
    const { supersessions } = yield* inconsistencySteps(group, noLinks);
    const contents = new Map(group.map(({ id, content }) => [id, content]));
    for (const { memory, supersededBy, confidence: confidence3 } of supersessions) {
      const isWholly = sentencesOf(contents.get(memory)).length <= mostSentences;
      if (confidence3 >= leastConfidence && isWholly) replaced.set(memory, supersededBy);
    }
  }
  return new Map([...replaced].map(([id, by]) => [id, lastOf(replaced, by)]));
}
function lastOf(replaced, id) {
  const seen = /* @__PURE__ */ new Set();
  let last = id;
  for (let next = replaced.get(last); next !== void 0 && !seen.has(next); next = replaced.get(last)) {
    seen.add(next);
    last = next;
  }
  return last;
}

// src/domain/summaries/still-holding.ts
var maxCompared = 200;
var maxPairs = 500;
var maxMemoriesOfTerm = 12;
function* holdingSteps(sources, { layer, scope }, all2 = sources) {
  if (layer === "session") return sources;
  const newestFirst = all2.toSorted(
    (left, right) => right.time.getTime() - left.time.getTime() || (left.id < right.id ? -1 : 1)
  );
  const compared = newestFirst.slice(0, maxCompared).map(({ id, content, time }) => ({
    id,
    content,
    layer,
    scope,
    metadata: {},
    occurredAt: time.toISOString()
  }));
  const ids = new Set(sources.map(({ id }) => id));
  const pairs2 = pairsWithCommonTerms(compared).filter(([, older]) => ids.has(older.id));
  yield;
  const replaced = /* @__PURE__ */ new Set();
  for (const [newer, older] of pairs2.slice(0, maxPairs)) {
    if (replaced.has(older.id)) continue;
    const found = yield* replacementSteps([newer, older]);
    if (found.has(older.id)) replaced.add(older.id);
    yield;
  }
  return sources.filter(({ id }) => !replaced.has(id));
}
function pairsWithCommonTerms(memories) {
  const holders = /* @__PURE__ */ new Map();
  for (const [at, { content }] of memories.entries())
    for (const term of termCounts(content).counts.keys()) {
      const places = holders.get(term);
      if (places) places.push(at);
      else holders.set(term, [at]);
    }
  const later = memories.map(() => /* @__PURE__ */ new Set());
  for (const places of holders.values())
    if (places.length <= maxMemoriesOfTerm)
      for (const [index, first2] of places.entries())
        for (const second of places.slice(index + 1)) later[first2].add(second);
  return later.flatMap(
    (others, first2) => [...others].sort((one, other) => one - other).map((second) => [memories[first2], memories[second]])
  );
}

// src/domain/text/periods/calendar.ts
var DAY_MS = 864e5;
var MS = { minute: 6e4, hour: 36e5 };
var AROUND_MS = { minute: 10 * MS.minute, hour: MS.hour };
var DAYS_PER_WEEK = 7;
var MONTHS2 = { month: 1, quarter: 3, year: 12 };
function midnight(year, month, day) {
  const time = /* @__PURE__ */ new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  return time;
}
var dayText = (time) => time.toISOString().slice(0, 10);
var monthText = (time) => time.toISOString().slice(0, 7);
var yearText = (year) => String(year).padStart(4, "0");
function monthNumber(now) {
  return now.getUTCMonth() + 1;
}
function yearsOf(first2, last = first2) {
  return { from: yearText(first2), until: yearText(last + 1) };
}
function monthsOf(year, month, count = 1) {
  const until = midnight(year, month + count, 1);
  return {
    from: monthText(midnight(year, month, 1)),
    until: until.getUTCMonth() === 0 ? until.toISOString().slice(0, 4) : monthText(until)
  };
}
function quarterOf(year, quarter) {
  return monthsOf(year, quarter * 3 - 2, 3);
}
function halfOf(year, half) {
  return monthsOf(year, half * 6 - 5, 6);
}
function daysOf(year, month, day, last = day) {
  const end = midnight(year, month, last);
  if (month < 1 || month > 12 || day < 1 || day > last || end.getUTCDate() !== last) return void 0;
  return { from: dayText(midnight(year, month, day)), until: dayText(midnight(year, month, last + 1)) };
}
function daysFrom(now, first2, end) {
  const at = (days) => dayText(midnight(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate() + days));
  return { from: at(first2), until: at(end) };
}
function sinceMonday(now) {
  return (now.getUTCDay() + 6) % DAYS_PER_WEEK;
}
function weekFrom(now, weeks) {
  const first2 = weeks * DAYS_PER_WEEK - sinceMonday(now);
  return daysFrom(now, first2, first2 + DAYS_PER_WEEK);
}
function dayOfWeek(now, weeks, weekday, count = 1) {
  const first2 = weeks * DAYS_PER_WEEK - sinceMonday(now) + (weekday + 6) % DAYS_PER_WEEK;
  return daysFrom(now, first2, first2 + count);
}
function latestWeekday(now, weekday, count = 1) {
  const back = (now.getUTCDay() - weekday - count + 2 * DAYS_PER_WEEK) % DAYS_PER_WEEK + count;
  return daysFrom(now, -back, count - back);
}
function nextWeekday(now, weekday) {
  const ahead = (weekday - now.getUTCDay() + 6) % DAYS_PER_WEEK + 1;
  return daysFrom(now, ahead, ahead + 1);
}
function isoWeek(year, week) {
  const fourth = midnight(year, 1, 4);
  const found = weekFrom(fourth, week - 1);
  const thursday = new Date(Date.parse(found.from) + 3 * DAY_MS);
  return week >= 1 && thursday.getUTCFullYear() === year ? found : void 0;
}
function latestIsoWeek(week, now) {
  const year = now.getUTCFullYear();
  const own = isoWeek(year, week);
  return own && Date.parse(own.from) <= now.getTime() ? own : isoWeek(year - 1, week);
}
function latestMonths(month, now, count = 1) {
  return monthsOf(now.getUTCFullYear() - (month > monthNumber(now) ? 1 : 0), month, count);
}
function latestDays(month, day, now, last = day) {
  const isAhead = month > monthNumber(now) || month === monthNumber(now) && day > now.getUTCDate();
  const year = now.getUTCFullYear() - (isAhead ? 1 : 0);
  const years = month === 2 && last === 29 ? [0, 1, 2, 3, 4, 5, 6, 7] : [0];
  return years.map((back) => daysOf(year - back, month, day, last)).find((ends) => ends !== void 0);
}
function latestDayOfMonth(day, now) {
  for (let back = 0; back < 3; back++) {
    const first2 = midnight(now.getUTCFullYear(), monthNumber(now) - back, 1);
    const ends = daysOf(first2.getUTCFullYear(), monthNumber(first2), day);
    if (ends && Date.parse(ends.from) <= now.getTime()) return ends;
  }
  return void 0;
}
function unitFrom(now, offset, unit) {
  switch (unit) {
    case "minute":
    case "hour":
    case "fortnight":
      return void 0;
    case "day":
      return daysFrom(now, offset, offset + 1);
    case "week":
      return weekFrom(now, offset);
    case "month":
      return monthsOf(now.getUTCFullYear(), monthNumber(now) + offset);
    case "quarter":
      return quarterOf(now.getUTCFullYear(), Math.ceil(monthNumber(now) / 3) + offset);
    case "year":
      return yearsOf(now.getUTCFullYear() + offset);
    default:
      return unit;
  }
}
function runningUnits(now, count, unit, isNext = false) {
  if (unit === "hour" || unit === "minute") {
    const ends = [now.getTime(), now.getTime() + (isNext ? count : -count) * MS[unit]].sort((a, b) => a - b);
    const until = isNext ? new Date(ends[1]).toISOString() : daysFrom(now, 0, 1).until;
    return { from: new Date(ends[0]).toISOString(), until };
  }
  const shifted = (by) => {
    if (unit === "day" || unit === "week" || unit === "fortnight")
      return daysFrom(now, by * daysOfUnit(unit), 0).from;
    const first2 = midnight(now.getUTCFullYear(), monthNumber(now) + by * MONTHS2[unit], 1);
    const last = midnight(first2.getUTCFullYear(), monthNumber(first2) + 1, 0).getUTCDate();
    const day = Math.min(now.getUTCDate(), last);
    return dayText(midnight(first2.getUTCFullYear(), monthNumber(first2), day));
  };
  const today = daysFrom(now, 0, 1);
  return isNext ? { from: today.from, until: shifted(count) } : { from: shifted(-count), until: today.until };
}
function daysOfUnit(unit) {
  return { day: 1, week: DAYS_PER_WEEK, fortnight: 2 * DAYS_PER_WEEK }[unit];
}
function unitsAgo(now, count, unit) {
  switch (unit) {
    case "minute":
    case "hour": {
      const at = now.getTime() - count * MS[unit];
      const around2 = AROUND_MS[unit];
      return { from: new Date(at - around2).toISOString(), until: new Date(at + around2).toISOString() };
    }
    case "week":
    case "fortnight": {
      const back = count * daysOfUnit(unit);
      return daysFrom(now, -back - 3, 4 - back);
    }
    case "day":
    case "month":
    case "quarter":
    case "year":
      return unitFrom(now, -count, unit);
    default:
      return unit;
  }
}

// src/domain/text/periods/form.ts
function form(source, read, flags = "gi") {
  return { pattern: new RegExp(source, flags), read };
}

// src/domain/text/periods/words.ts
var MONTHS3 = "january february march april may june july august september october november december".split(
  " "
);
var WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
var NUMBERS3 = "one two three four five six seven eight nine ten eleven twelve".split(" ");
var UNITS = ["minute", "hour", "day", "week", "fortnight", "month", "quarter", "year"];
var SHORT_UNITS = {
  min: "minute",
  h: "hour",
  hr: "hour",
  d: "day",
  w: "week",
  wk: "week",
  mo: "month",
  y: "year",
  yr: "year"
};
var ORDINALS = "first second third fourth".split(" ");
var MONTH2 = `(?:${MONTHS3.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b\\.?`;
var FULL_MONTH = `(?:${MONTHS3.join("|")})`;
var SHORT_MONTH = "(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)";
var SHORT_WEEKDAY = "(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)";
var YEAR2 = "(?:19|20)\\d\\d";
var ANY_YEAR = `(?:${YEAR2}|['\u2019]\\d\\d)`;
var WEEKDAY2 = `(?:${WEEKDAYS.join("|")})`;
var ORDINAL = "(?:st|nd|rd|th)";
var UNIT = "(?:minute|hour|day|week|fortnight|month|quarter|year)";
var SHORT_UNIT = "(?:mins?|h|hrs?|d|w|wks?|mos?|y|yrs?)";
var COUNT = `(?<![\\d.,:/-])(?:\\d{1,3}|an?|${NUMBERS3.join("|")}|(?:a\\s+)?couple(?:\\s+of)?)`;
function monthOf(name) {
  return MONTHS3.findIndex((month) => month.startsWith(fold(name).slice(0, 3))) + 1;
}
function weekdayOf(name) {
  return WEEKDAYS.findIndex((weekday) => weekday.startsWith(fold(name).slice(0, 3)));
}
function yearOf(text) {
  return text.length === 4 ? Number(text) : 2e3 + Number(text.slice(1));
}
function countOf(text) {
  const word = fold(text);
  if (word.includes("couple")) return 2;
  if (/^an?$/.test(word)) return 1;
  return NUMBERS3.includes(word) ? NUMBERS3.indexOf(word) + 1 : Number(word);
}
function ordinalOf(text) {
  const word = fold(text);
  return ORDINALS.includes(word) ? ORDINALS.indexOf(word) + 1 : Number.parseInt(word, 10);
}
function unitOf(text) {
  const word = fold(text);
  return UNITS.find((unit) => word.startsWith(unit)) ?? SHORT_UNITS[word.replace(/s$/, "")];
}
function isOrdinaryWord(name) {
  return /^(?:march|may|mar)$/.test(name);
}

// src/domain/text/periods/absolute-forms.ts
var DAY3 = `(?<day>\\d{1,2})(?:${ORDINAL})?`;
var LAST_DAY = `(?:\\s*(?:[-\u2013]|to|through|until|till)\\s*(?<last>\\d{1,2})(?:${ORDINAL})?)?`;
var NAMED_DAY = `\\b(?:(?:on\\s+)?(?:${WEEKDAY2}|${SHORT_WEEKDAY}\\.?),?\\s+(?:the\\s+)?)?`;
var MONTH_NAME = `(?<month>${MONTH2})`;
var ONE_YEAR = `(?<year>${ANY_YEAR})\\b`;
var NO_NUMBER = "(?![\\d%]|[.,:/-]\\d)";
var dayNumbers = (group) => {
  const day = Number(group("day"));
  return [day, Number(group("last") || day)];
};
var absoluteForms = [
  form(
    `\\b(?<year>${YEAR2})-(?<month>0[1-9]|1[0-2])(?:-(?<day>0[1-9]|[12]\\d|3[01]))?(?:[T ]\\d\\d:\\d\\d[\\d:.]*(?:Z|[+-]\\d\\d:?\\d\\d)?)?(?![\\d-])`,
    ({ group, has }) => has("day") ? daysOf(+group("year"), +group("month"), +group("day")) : monthsOf(+group("year"), +group("month"))
  ),
  form(
    `\\b(?<year>${YEAR2})/(?<month>\\d{1,2})/(?<day>\\d{1,2})\\b(?![/-])`,
    ({ group }) => daysOf(+group("year"), +group("month"), +group("day")) ?? "none"
  ),
  // Dots put the day first wherever they are used. Slashes and hyphens are read only if they leave no choice.
  form(
    `(?<![\\d.])(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?(?<year>${YEAR2})\\b(?!\\.?\\d)`,
    ({ group }) => daysOf(+group("year"), +group("month"), +group("day")) ?? "none"
  ),
  form(`(?<![\\d/.-])(?<one>\\d{1,2})([/-])(?<two>\\d{1,2})\\2(?<year>${YEAR2})\\b(?![/-])`, ({ group }) => {
    const [one, two, year] = [+group("one"), +group("two"), +group("year")];
    const dayFirst = daysOf(year, two, one);
    const monthFirst = one === two ? void 0 : daysOf(year, one, two);
    return dayFirst && monthFirst ? "none" : dayFirst ?? monthFirst ?? "none";
  }),
  form(
    `${NAMED_DAY}\\b${DAY3}${LAST_DAY}(?:\\s+(?:of\\s+)?|[-/])${MONTH_NAME}(?:,?\\s+|[-/])${ONE_YEAR}`,
    ({ group }) => daysOf(yearOf(group("year")), monthOf(group("month")), ...dayNumbers(group))
  ),
  form(
    `${NAMED_DAY}\\b${MONTH_NAME}(?:\\s+(?:the\\s+)?|-)${DAY3}${LAST_DAY}(?:,?\\s+(?:of\\s+)?|-)${ONE_YEAR}`,
    ({ group }) => daysOf(yearOf(group("year")), monthOf(group("month")), ...dayNumbers(group))
  ),
  form(
    `\\b(?<year>${YEAR2})[ -]${MONTH_NAME}[ -]${DAY3}(?!\\d)`,
    ({ group }) => daysOf(+group("year"), monthOf(group("month")), +group("day"))
  ),
  form(
    `\\b${MONTH_NAME}\\s*(?:[-\u2013/]|to|through|until|till)\\s*(?<end>${MONTH2}),?\\s+(?:of\\s+)?${ONE_YEAR}`,
    ({ group }) => {
      const [first2, last] = [monthOf(group("month")), monthOf(group("end"))];
      return first2 < last ? monthsOf(yearOf(group("year")), first2, last - first2 + 1) : void 0;
    }
  ),
  form(
    `\\b${MONTH_NAME},?(?:\\s+(?:of\\s+)?|[-/])${ONE_YEAR}`,
    ({ group }) => monthsOf(yearOf(group("year")), monthOf(group("month")))
  ),
  form(
    `\\b(?<year>${YEAR2})[ -]${MONTH_NAME}`,
    ({ group }) => isOrdinaryWord(group("month")) ? void 0 : monthsOf(+group("year"), monthOf(group("month")))
  ),
  form(
    `(?<![\\w/.-])(?<month>0?[1-9]|1[0-2])/(?<year>${YEAR2})\\b(?![/-])`,
    ({ group }) => monthsOf(+group("year"), +group("month"))
  ),
  form(
    `\\bq(?<quarter>[1-4])(?:\\s*(?:of\\s+)?|[-/])${ONE_YEAR}|\\b(?<yearBefore>${YEAR2})[-/ ]?q(?<quarterAfter>[1-4])\\b`,
    ({ group }) => quarterOf(yearOf(group("year") || group("yearBefore")), +(group("quarter") || group("quarterAfter")))
  ),
  form(
    `\\b(?<which>first|second|third|fourth|1st|2nd|3rd|4th|last)\\s+quarter\\s+(?:of\\s+)?${ONE_YEAR}`,
    ({ group }) => quarterOf(yearOf(group("year")), /^last$/i.test(group("which")) ? 4 : ordinalOf(group("which")))
  ),
  form(
    `\\bh(?<half>[12])(?:\\s*(?:of\\s+)?|[-/])${ONE_YEAR}|\\b(?<yearBefore>${YEAR2})[-/ ]?h(?<halfAfter>[12])\\b`,
    ({ group }) => halfOf(yearOf(group("year") || group("yearBefore")), +(group("half") || group("halfAfter")))
  ),
  form(
    `\\b(?<which>first|second|1st|2nd|last)\\s+half\\s+(?:of\\s+)?${ONE_YEAR}`,
    ({ group }) => halfOf(yearOf(group("year")), /^last$/i.test(group("which")) ? 2 : ordinalOf(group("which")))
  ),
  form(
    `\\b(?<yearBefore>${YEAR2})-?w(?<isoWeek>\\d\\d?)\\b|\\b(?:calendar\\s+)?(?:week|cw|kw|w)\\s*(?<week>\\d\\d?)(?:,?\\s+(?:of\\s+)?|[-/])${ONE_YEAR}`,
    ({ group }) => isoWeek(yearOf(group("year") || group("yearBefore")), +(group("week") || group("isoWeek"))) ?? "none"
  ),
  // Without a year: the latest such day.
  form(`${NAMED_DAY}\\b${DAY3}${LAST_DAY}\\s+(?<of>of\\s+)?${MONTH_NAME}(?!\\s+\\d{1,2}\\b(?!:))`, dayOfMonth),
  form(`${NAMED_DAY}\\b${MONTH_NAME}\\s+(?:the\\s+)?${DAY3}${LAST_DAY}\\b${NO_NUMBER}`, dayOfMonth),
  form(
    `\\b(?<first>${YEAR2})\\s*[-\u2013]\\s*(?<last>${YEAR2})\\b(?![-.]\\d)`,
    ({ group }) => +group("first") < +group("last") ? { ...yearsOf(+group("first"), +group("last")), isPlain: false } : "none"
  ),
  // "2024/25" may be a season, or a month.
  form(`\\b${YEAR2}/\\d{1,2}\\b`, () => "none"),
  form(`(?<!(?:^|\\D)\\d{1,2}/|\\d[.-])\\b(?<year>${YEAR2})\\b(?![-.]\\d)`, ({ group }) => ({
    ...yearsOf(+group("year")),
    isPlain: false
  }))
];
var COUNTING = /\b(?:top|first|last|latest|next|best|past|these|those|in)\s+(?:the\s+)?$/i;
var OF_ANOTHER_YEAR = /^,?\s+(?:of\s+)?(?:last|previous|this|next)\s+year\b/i;
var TIME_WORD = /\b(?:on|since|until|till|before|after|from|by|of)\s+(?:the\s+)?$/i;
var LATER_YEAR = new RegExp(
  `^\\s*(?:,|and|or|to|through|until|till|[-\u2013])\\s*(?:the\\s+)?(?:${MONTH2}\\s+(?:the\\s+)?\\d{1,2}${ORDINAL}?|\\d{1,2}${ORDINAL}?\\s+(?:of\\s+)?${MONTH2}),?\\s+(?<year>${YEAR2})\\b`,
  "i"
);
function dayOfMonth({ group, has, text, before, after }, now) {
  const isOrdinal = has("of") || /\d(?:st|nd|rd|th)/i.test(text);
  const isSure = isOrdinal || /^on\s/i.test(text) || TIME_WORD.test(before);
  const month = group("month");
  if (!isSure && (isOrdinaryWord(month) || COUNTING.test(before))) return void 0;
  if (OF_ANOTHER_YEAR.test(after)) return void 0;
  const [day, last] = dayNumbers(group);
  const year = LATER_YEAR.exec(after)?.groups?.["year"];
  if (year !== void 0) return daysOf(Number(year), monthOf(month), day, last);
  return now && latestDays(monthOf(month), day, now, last);
}

// src/domain/text/periods/relative-forms.ts
var LAST = "(?:last|past|previous|preceding)";
var THIS = "(?:this|current)";
var NEXT = "(?:next|coming)";
var WHICH = `(?<which>${LAST}|${THIS}|${NEXT})`;
var COUNTED2 = `(?:\\s+(?<unit>${UNIT}s?)|\\s?(?<short>${SHORT_UNIT}))`;
var NTH = "(?<nth>first|second|third|fourth|1st|2nd|3rd|4th)";
var DAY_NAME2 = `(?<weekday>${WEEKDAY2})\\b`;
var SATURDAY = 6;
function offsetOf(which) {
  if (new RegExp(`^${THIS}$`, "i").test(which)) return 0;
  return new RegExp(`^${LAST}$`, "i").test(which) ? -1 : 1;
}
function relative(source, read, flags) {
  return form(source, (match, now) => now ? read(match, now) : void 0, flags);
}
var relativeForms = [
  relative("\\b(?:the\\s+)?day\\s+before\\s+yesterday\\b", (_, now) => daysFrom(now, -2, -1)),
  relative("\\b(?:the\\s+)?day\\s+after\\s+tomorrow\\b", (_, now) => daysFrom(now, 2, 3)),
  relative("\\byesterday\\b|\\blast\\s+night\\b", (_, now) => daysFrom(now, -1, 0)),
  relative("\\btomorrow\\b", (_, now) => daysFrom(now, 1, 2)),
  relative("\\bthis\\s+(?:morning|afternoon|evening)\\b|\\btonight\\b", (_, now) => daysFrom(now, 0, 1)),
  // "today" often means the present in general.
  relative("\\btoday\\b", (_, now) => ({ ...daysFrom(now, 0, 1), isPlain: false })),
  relative(
    `\\b(?:the\\s+)?(?<unit>week|month|quarter|year)\\s+before\\s+last\\b`,
    ({ group }, now) => unitFrom(now, -2, unitOf(group("unit")))
  ),
  // "more than 3 weeks ago" names no time by itself.
  relative(
    `(?<vague>\\b(?:(?:more|less|longer|fewer|later|earlier)\\s+than|over|under|half|at\\s+(?:least|most))\\s+)?\\b(?<count>${COUNT})${COUNTED2}\\s+ago\\b`,
    ({ group, has }, now) => has("vague") ? "none" : unitsAgo(now, countOf(group("count")), unitOf(group("unit") || group("short")))
  ),
  relative(
    `\\b(?<which>${LAST}|${NEXT})\\s+(?<count>${COUNT})${COUNTED2}\\b(?!\\s+of\\b)`,
    ({ group }, now) => runningUnits(
      now,
      countOf(group("count")),
      unitOf(group("unit") || group("short")),
      offsetOf(group("which")) > 0
    )
  ),
  relative(
    `\\bin\\s+(?<count>${COUNT})${COUNTED2}['\u2019]?\\s+time\\b`,
    ({ group }, now) => unitsAgo(now, -countOf(group("count")), unitOf(group("unit") || group("short")))
  ),
  relative(
    `\\b(?<month>${MONTH2})(?:\\s+(?:the\\s+)?(?<day>\\d{1,2})(?:${ORDINAL})?)?,?\\s+(?:of\\s+)?${WHICH}\\s+year\\b`,
    ({ group, has }, now) => {
      const [year, month] = [now.getUTCFullYear() + offsetOf(group("which")), monthOf(group("month"))];
      return has("day") ? daysOf(year, month, Number(group("day"))) : monthsOf(year, month);
    }
  ),
  relative(
    `\\b(?:q(?<quarter>[1-4])|${NTH}\\s+(?<part>quarter|half)),?\\s+(?:of\\s+)?${WHICH}\\s+year\\b`,
    ({ group }, now) => {
      const year = now.getUTCFullYear() + offsetOf(group("which"));
      const number = Number(group("quarter")) || ordinalOf(group("nth"));
      if (group("part").toLowerCase() !== "half") return quarterOf(year, number);
      return number <= 2 ? halfOf(year, number) : void 0;
    }
  ),
  // "since the start of the year".
  relative(
    `\\b(?<=\\b(?:beginning|start)\\s+of\\s+)the\\s+(?<unit>week|month|quarter|year)\\b(?!\\s+(?:of|\\d))`,
    ({ group }, now) => unitFrom(now, 0, unitOf(group("unit")))
  ),
  relative(
    `\\b${DAY_NAME2},?\\s+(?:of\\s+)?${WHICH}\\s+week\\b`,
    ({ group }, now) => dayOfWeek(now, offsetOf(group("which")), weekdayOf(group("weekday")))
  ),
  relative(
    `\\b${WHICH}\\s+week(?:['\u2019]s)?\\s+(?:on\\s+)?${DAY_NAME2}`,
    ({ group }, now) => dayOfWeek(now, offsetOf(group("which")), weekdayOf(group("weekday")))
  ),
  relative(
    `\\b${WHICH}\\s+weekend\\b|\\bover\\s+the\\s+weekend\\b`,
    ({ group, has }, now) => has("which") && offsetOf(group("which")) >= 0 ? dayOfWeek(now, offsetOf(group("which")), SATURDAY, 2) : latestWeekday(now, SATURDAY, 2)
  ),
  // "the last week of August" needs its month.
  relative(`\\b${WHICH}\\s+(?<unit>${UNIT})\\b(?<of>\\s+of\\b)?`, unitNamed),
  relative(
    `\\b(?:from|between)\\s+(?:last\\s+)?(?<first>${WEEKDAY2})\\s+(?:to|until|till|through|and)\\s+(?:last\\s+)?(?<weekday>${WEEKDAY2})\\b`,
    ({ group }, now) => {
      const { from } = latestWeekday(now, weekdayOf(group("first")));
      const length = (weekdayOf(group("weekday")) - weekdayOf(group("first")) + 7) % 7;
      return daysFrom(new Date(from), 0, length + 1);
    }
  ),
  relative(
    `\\b(?:on\\s+)?(?:${WEEKDAY2},?\\s+)?the\\s+(?<day>\\d{1,2})${ORDINAL}(?=\\s*(?:[?.!,;]|$))`,
    (match, now) => /^(?:on|\p{L}+day)/iu.test(match.text) ? latestDayOfMonth(+match.group("day"), now) : void 0
  ),
  relative(`\\b(?<which>on|${LAST}|${THIS}|${NEXT})\\s+${DAY_NAME2}(?!\\s+of\\b)`, weekdayNamed),
  relative(
    `\\b(?<which>[Oo]n|[Ll]ast|[Tt]his|[Nn]ext)\\s+(?<weekday>${SHORT_WEEKDAY})\\b`,
    weekdayNamed,
    "g"
  ),
  relative(
    `\\b(?<=\\b(?:since|after|before|from)\\s+)${DAY_NAME2}`,
    ({ group }, now) => latestWeekday(now, weekdayOf(group("weekday")))
  ),
  relative("\\bq(?<quarter>[1-4])\\b", (match, now) => {
    const quarter = Number(match.group("quarter"));
    const first2 = quarter * 3 - 2;
    return { ...latestMonths(first2, now, 3), isPlain: AFTER_TIME_WORD.test(match.before) };
  }),
  relative(`\\b(?:the\\s+)?${NTH}\\s+quarter\\b(?!\\s+of\\b)`, ({ group }, now) => ({
    ...latestMonths(ordinalOf(group("nth")) * 3 - 2, now, 3),
    isPlain: false
  })),
  relative(
    "\\b(?:calendar\\s+week|cw|kw)\\s*(?<week>\\d{1,2})\\b",
    ({ group }, now) => latestIsoWeek(Number(group("week")), now)
  ),
  relative(`\\b(?<which>next|coming)\\s+(?<month>${FULL_MONTH})\\b`, ({ group }, now) => {
    const month = monthOf(group("month"));
    return monthsOf(now.getUTCFullYear() + (month <= monthNumber(now) ? 1 : 0), month);
  }),
  relative(
    `\\b(?<month>${FULL_MONTH})\\b`,
    ({ group }, now) => isOrdinaryWord(group("month")) ? void 0 : { ...latestMonths(monthOf(group("month")), now), isPlain: false }
  ),
  relative(
    `\\b(?<=\\b(?:[Ii]n|of|[Ss]ince|[Ff]rom|[Uu]ntil|till|[Bb]efore|[Aa]fter|[Dd]uring|this|last)\\s+)(?<month>${SHORT_MONTH})\\b(?!\\s*\\d)`,
    ({ group }, now) => ({ ...latestMonths(monthOf(group("month")), now), isPlain: false }),
    "g"
  )
];
var AFTER_TIME_WORD = /\b(?:in|of|for|during|since|from|until|till|before|after|by|this|last|next)\s+(?:the\s+)?$/i;
var RUNNING = /\b(?:in|over|within|during|for|of|from)\s+the\s+$/i;
function unitNamed({ group, has, before }, now) {
  const [which, unit] = [group("which"), unitOf(group("unit"))];
  const offset = offsetOf(which);
  if (has("of") || offset > 0 && /\bthe\s+$/i.test(before)) return "none";
  if (unit === "day" && offset >= 0) return void 0;
  const isRunning = /^past$/i.test(which) || /^last$/i.test(which) && RUNNING.test(before) && unit !== "quarter";
  const hasNoName = unit === "minute" || unit === "hour" || unit === "fortnight" || unit === "day";
  if (offset < 0 ? isRunning || hasNoName : hasNoName && offset > 0)
    return runningUnits(now, 1, unit, offset > 0);
  return unitFrom(now, offset, unit);
}
function weekdayNamed({ group }, now) {
  const [which, weekday] = [group("which"), weekdayOf(group("weekday"))];
  if (/^on$/i.test(which)) return latestWeekday(now, weekday);
  const offset = offsetOf(which);
  if (offset === 0) return dayOfWeek(now, 0, weekday);
  return offset < 0 ? latestWeekday(now, weekday) : nextWeekday(now, weekday);
}

// src/domain/text/periods.ts
var FORMS = [
  ...absoluteForms.map((form2) => ({ ...form2, isRelative: false })),
  ...relativeForms.map((form2) => ({ ...form2, isRelative: true }))
];
var CONTEXT = 40;
function findPeriods(text, now) {
  const periods = [];
  const claimed = new Uint8Array(text.length);
  for (const { pattern, read, isRelative } of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (claimed.subarray(start, end).includes(1)) continue;
      const found = read(formMatch(text, match), now);
      if (found === void 0 || found !== "none" && !isPeriod(found)) continue;
      claimed.fill(1, start, end);
      if (found === "none") continue;
      const isAhead = isRelative && now !== void 0 && Date.parse(found.from) > now.getTime();
      periods.push({ isPlain: true, ...found, isAhead, start, end });
    }
  }
  return periods.sort((a, b) => a.start - b.start);
}
function formMatch(text, match) {
  const group = (name) => match.groups?.[name] ?? "";
  return {
    text: match[0],
    group,
    has: (name) => group(name) !== "",
    before: text.slice(Math.max(0, match.index - CONTEXT), match.index),
    after: text.slice(match.index + match[0].length, match.index + match[0].length + CONTEXT)
  };
}
function isPeriod({ from, until }) {
  const areWithinYears = [from, until].every((bound) => /^(?!0000)\d{4}(?:-|$)/.test(bound));
  return areWithinYears && Date.parse(from) < Date.parse(until);
}

// src/domain/text/periods/asked-ranges.ts
var BOUNDS = [
  ["from", "since|not\\s+(?:before|earlier\\s+than)|no\\s+earlier\\s+than"],
  ["until", "until|till|up\\s+to|(?:not|no)\\s+later\\s+than|not\\s+after"],
  ["after", "after|(?:later|newer)\\s+than"],
  ["before", "before|prior\\s+to|(?:earlier|older)\\s+than"]
];
var FILLER = "(?:(?:on|in|from|the|about|around|early|mid|late)\\s+)*$";
var BEFORE = BOUNDS.map(
  ([bound, words2]) => [bound, new RegExp(`\\b(?:${words2})\\s+${FILLER}`, "i")]
);
var COUNTED_FROM = new RegExp(
  `\\b(?:hour|day|night|morning|evening|week|weekend|month|quarter|year|${WEEKDAY2})s?\\s+(?:(?:right|just)\\s+)?(?:before|after|prior\\s+to)\\s+${FILLER}`,
  "i"
);
var OPEN_END = String.raw`(?=\s*(?:$|[?.!,;:)]|(?:in|of|by|for|from|with|about|that|which)\b))`;
var AFTER = [
  [
    "from",
    new RegExp(String.raw`^\s*(?:(?:or|and)\s+(?:later|after|newer|since)|onwards?)\b${OPEN_END}`, "i")
  ],
  ["until", new RegExp(String.raw`^\s*(?:or|and)\s+(?:earlier|before|older)\b${OPEN_END}`, "i")]
];
var NEGATED2 = /\b(?:not|never|except|excepting|excluding|without|besides|other\s+than|apart\s+from|outside)\s+(?:of\s+)?(?:those\s+)?(?:(?:in|on|of|for|from|during|the)\s+)*$/i;
var ENDS_PHRASE = /^\s*(?:$|[?.!,;:)]|(?:in|on|for|of|by|at|to|with|and|or|but|from|until|till|about)\b)/i;
var CONTEXT2 = 60;
function askedRanges(text, periods) {
  const ranges = [];
  const excluded = [];
  for (let i = 0; i < periods.length; i++) {
    const period = periods[i];
    const next = periods[i + 1];
    const before = text.slice(Math.max(0, period.start - CONTEXT2, periods[i - 1]?.end ?? 0), period.start);
    const after = text.slice(period.end, next?.start);
    if (next && isRange(before, after) && period.from < next.until) {
      const { start, from } = period;
      ranges.push({ from, until: next.until, start, end: next.end, isPlain: true, isBounded: true });
      i++;
      continue;
    }
    const isCounted = COUNTED_FROM.test(text.slice(Math.max(0, period.start - CONTEXT2), period.start));
    const bound = isCounted ? void 0 : boundOf(before, text.slice(period.end));
    if (!bound && NEGATED2.test(before)) excluded.push(period);
    else if (bound) addBounded(ranges, bounded(period, bound), before);
    else ranges.push({ ...period, isBounded: false });
  }
  return { ranges, excluded };
}
function isRange(before, between) {
  const joint = /^\s+(?:and|(?:up\s+)?(?:to|until|till|through))\s+(?:the\s+)?$/i.exec(between)?.[0];
  if (joint === void 0) return false;
  return /\band\b/i.test(joint) ? /\bbetween\s+(?:the\s+)?$/i.test(before) : /\b(?:from|between)\s+(?:the\s+)?$/i.test(before);
}
var EDGE = /\b(?:the\s+)?(beginning|start|end)\s+of\s+(?:the\s+)?$/i;
function boundOf(words2, after) {
  const edge = EDGE.exec(words2)?.[1]?.toLowerCase();
  const before = words2.replace(EDGE, "");
  const bound = boundBeside(before, after);
  return bound && edge ? boundAtEdge(bound, edge === "end") : bound;
}
function boundAtEdge(bound, isEnd) {
  if (isEnd) return bound === "from" || bound === "after" ? "after" : "until";
  return bound === "from" || bound === "after" ? "from" : "before";
}
function boundBeside(before, after) {
  const open = AFTER.find(([, words2]) => words2.test(after))?.[0];
  if (open) return open;
  if (/\bfrom\s+(?:the\s+)?$/i.test(before) && /^\s+on\b(?=\s*(?:$|[?.!,;]))/i.test(after)) return "from";
  return BEFORE.find(([, words2]) => words2.test(before))?.[0];
}
function bounded({ from, until, start, end, isPlain }, bound) {
  const limits = {
    from: { from },
    after: { from: until },
    before: { until: from },
    until: { until }
  };
  return { ...limits[bound], start, end, isPlain, isBounded: true };
}
function addBounded(ranges, range, before) {
  const last = ranges.at(-1);
  const isPair = last?.isBounded === true && last.from === void 0 !== (last.until === void 0) && last.from === void 0 === (range.from !== void 0) && /^\s*,?\s*(?:(?:and|but)\s+)?\S+(?:\s+\S+){0,2}\s+$/.test(before) && !/\bor\b/i.test(before);
  const { from, until } = { ...last, ...range };
  if (isPair && from !== void 0 && until !== void 0 && from < until)
    ranges.splice(-1, 1, { ...range, from, until, start: last.start, isPlain: true });
  else ranges.push(range);
}
function isTime2(text, { isPlain, isBounded, end }) {
  return isPlain || isBounded && ENDS_PHRASE.test(text.slice(end));
}

// src/domain/ranking/dates.ts
var NAMES = "january february march april may june july august september october november december".split(
  " "
);
var YEAR3 = /\b(?:19|20)\d\d\b/g;
var NUMERIC = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?\b/g;
var NAMED = new RegExp(`\\b(?:${NAMES.join("|")})\\b`, "gi");
var BESIDE = /^(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?$/i;
var JOINED = /^[\s,/&–-]*(?:(?:and|or|to|until|through)\s+)?$/i;
function askedMonths(question) {
  const numeric = [...question.matchAll(NUMERIC)].map(({ index, 1: year, 2: month }) => ({
    month: Number(month) - 1,
    year: Number(year),
    index
  }));
  return [...numeric, ...namedMonths(question)];
}
function namedMonths(question) {
  const years = [...question.matchAll(YEAR3)].map(({ 0: year, index }) => ({ year: Number(year), index }));
  const begin = question.search(/\S/);
  const names2 = [...question.matchAll(NAMED)].filter(
    ({ 0: name, index }) => !/^(?:march|may)$/i.test(name) || isCapitalInside(question, index, begin)
  );
  const months2 = [];
  let later;
  for (const { 0: name, index } of names2.toReversed()) {
    const upTo = (end) => question.slice(index + name.length, end);
    const next = years.find((one) => one.index > index);
    const beside = next && BESIDE.test(upTo(next.index)) ? next : void 0;
    const joined2 = later && JOINED.test(upTo(later.index)) ? later : void 0;
    const { year } = beside ?? joined2 ?? years.findLast((one) => one.index < index) ?? next ?? {};
    months2.unshift({
      month: NAMES.indexOf(name.toLowerCase()),
      ...year !== void 0 && { year },
      index
    });
    later = { index, year };
  }
  return months2;
}
function isCapitalInside(question, index, begin) {
  return index > begin && /\s/.test(question[index - 1]) && /[A-Z]/.test(question[index]);
}
var DAY_MS2 = 864e5;
var LONGEST_WEEK_MS = 8 * DAY_MS2;
var LONGEST_MS = 92 * DAY_MS2;
var MOST_PERIODS = 8;
function askedTimes(question, now) {
  const { ranges, excluded } = askedRanges(question, findPeriods(question, now));
  const periods = ranges.filter(
    (range) => isTime2(question, range) && (range.isBounded || lengthOf(range) <= LONGEST_MS)
  );
  const apart = [...excluded, ...ranges.filter(({ isBounded }) => isBounded)];
  const months2 = askedMonths(question).filter(
    ({ index }) => !apart.some(({ start, end }) => index >= start && index < end)
  );
  return {
    months: months2.map(({ index: _, ...month }) => month),
    periods: periods.length > MOST_PERIODS ? [] : periods
  };
}
function lengthOf({ from, until }) {
  return from === void 0 || until === void 0 ? Infinity : Date.parse(until) - Date.parse(from);
}

// src/domain/context/stable.ts
var dayMs = 864e5;
var longestTiedMs = 8 * dayMs;
var dayOfMonth2 = /(?<!\p{N})\d{1,2}\.? (?:de |di |d['’])?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|novembre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december|Januar|Februar|März|Dezember)(?!\p{L})/iu;
var yearly = /(?<!\p{L})(?:born|birthdays?|anniversar(?:y|ies)|name day|geboren|Geburtstag|née?|anniversaire|cumpleaños|nací|nacid[ao])(?!\p{L})/iu;
function isTiedToDays(text, time) {
  if (yearly.test(text)) return false;
  const now = new Date(time);
  const since = askedTimes(text, now).periods.filter(
    ({ isBounded, until }) => isBounded && until === void 0
  );
  if (dayOfMonth2.test(text)) return true;
  return findPeriods(text, now).some(
    ({ from, until, start, end }) => Date.parse(until) - Date.parse(from) <= longestTiedMs && !since.some((range) => range.start <= start && end <= range.end)
  );
}

// src/domain/text/whole-words.ts
var wholeWords = (...words2) => new RegExp(`(?<!\\p{L})(?:${words2.join("|")})(?!\\p{L})`, "iu");

// src/domain/profile/passing-cues.ts
var SECRET = wholeWords(
  "pass(?:word|code|phrase)s?|pin|wi-?fi|(?:door|gate|access|entry|alarm|safe|building|security|recovery) codes?|codes? (?:of|for|to) the|combination|(?:spare|house|front door|master|office) keys?|keys? (?:is|are|hangs?|lies?|under|behind|to the)|api keys?|access tokens?|secret|credentials|credit card|iban",
  "Passw(?:ort|\xF6rter)|(?:T\xFCr|Zugangs|Alarm|Zahlen|Sicherheits)-?codes?|Kennwort|WLAN|(?:Ersatz|Haus|Wohnungs|T\xFCr|Spind|Tor)?-?Schl\xFCssel",
  "mots? de passe|digicode|code (?:de la|d['\u2019]|du|porte|secret)\\p{L}*|cl\xE9s?",
  "contrase\xF1as?|clave|llaves?|c\xF3digo de",
  "chiav[ei]|codice (?:della?|del|di)",
  "senhas?|chaves?|c\xF3digo d[aoe]",
  "wachtwoord(?:en)?|toegangscode|deurcode|(?:reserve|huis)?sleutels?"
);
var SECRET_SCRIPTS = /パスワード|暗証番号|合鍵|鍵|密码|密碼|钥匙|鑰匙/u;
var REFERENCE = new RegExp(
  [
    "(?<!\\p{L})(?:tickets?|invoices?|vouchers?|claims?|reference|booking|refund|order (?:no|number)|pull request|policy (?:no|number)|customer (?:no|number)|Rechnung(?:en)?|Aktenzeichen|Vertragsnummer|Kundennummer|facturas?|factures?|fattur[ae]|faturas?|factuur|rezepte?)(?!\\p{L})",
    "(?<![\\p{L}\\p{N}])\\p{Lu}{1,5}-\\d{2,}|#\\d{2,}|(?<![\\p{L}\\p{N}])PR \\d+"
  ].join("|"),
  "u"
);
var ROTA = new RegExp(
  [
    "(?<!\\p{L})(?:rota|roster|duty plan|shift plan|on[- ]call|pick-?ups?|weekly plan|plan for the week|week of|timetable|schedule:|Dienstplan|Wochenplan|Stundenplan|planning de la semaine|turnos?:|gift ideas?|shopping list|to-?do)(?!\\p{L})",
    "(?:\\p{Lu}\\p{L}+ (?:on|am|le|el|op) (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\\p{L}*[^.]*,\\s*){1,}\\p{Lu}\\p{L}+ (?:on|am|le|el|op) "
  ].join("|"),
  "u"
);
var UNSURE2 = wholeWords(
  "maybe|perhaps|might|could|possibly|someday|one day|some day|plan(?:s|ning)? (?:to|on|for)|think(?:s|ing) (?:of|about)|consider(?:s|ing)?|going to|will|I['\u2019]ll|hopes? to|would love to|wants? to(?! be (?:called|addressed))|if I ever|looking (?:for|at|into)|next (?:week|month|year|spring|summer|autumn|winter)",
  "vielleicht|\xFCberleg(?:e|t)|eventuell|plan(?:e|t)|n\xE4chste[nsr]? (?:Woche|Monat|Jahr)|w\xFCrde gern\\p{L}*|will (?:bald|n\xE4chste[nsr]?)",
  "peut-\xEAtre|envisage|je vais|va \\p{L}+(?:er|ir|re)|prochaine?",
  "quiz\xE1s?|tal vez|a lo mejor|voy a|va a|planea|pr\xF3xim[oa]",
  "forse|magari|sto pensando|prossim[oa]",
  "talvez|vou|vai|pretend[eo]|pr\xF3xim[oa]",
  "misschien|overweeg|ga (?:ik )?binnenkort|volgende (?:week|maand)"
);
var UNSURE_SCRIPTS = /かもしれ|つもり|予定|たいと思|可能|打算|计划|計劃|也许/u;
var TEMPORARY = wholeWords(
  "for now|for the moment|at the moment|right now|temporar(?:y|ily)|this (?:week|month|weekend|morning|afternoon|evening)|just (?:this|the) o(?:nce|ne time)|only this|for a (?:day|week|month|while)|until (?:they|we|the|further|then|next|\\d|\\p{L}+day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter|spring|summer|autumn|winter)|today|tonight|yesterday|tomorrow|just (?:now|got|had|saw)",
  "heute|gestern|morgen (?:fr\xFCh|um)|vor\xFCbergehend|zur ?zeit|momentan|gerade|diese Woche|bis (?:zum|Ende|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)",
  "aujourd['\u2019]hui|hier|demain|ce soir|en ce moment|cette semaine|jusqu['\u2019](?:\xE0|au|en)",
  "hoy|ayer|ma\xF1ana por|esta (?:semana|noche|tarde)|de momento|hasta (?:el|la|que)|anoche",
  "oggi|ieri|domani|stasera|per ora|questa settimana|fino a",
  "hoje|ontem|amanh\xE3|esta semana|por enquanto|at\xE9 (?:o|a|que)",
  "vandaag|gisteren|morgen|vanavond|deze week|voorlopig|tot (?:en met|eind)"
);
var TEMPORARY_SCRIPTS = /今日|昨日|明日|今週|今夜|今天|昨天|明天|这周|暂时/u;
var HABIT = wholeWords(
  "(?:every|each|most) (?:\\p{L}+ )?(?:day|morning|evening|night|week|weekend|month|year|\\p{L}+day)s?",
  "(?:\\p{L}+day) (?:mornings|afternoons|evenings|nights)|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|weekdays|weekends",
  "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|abend)s|jeden?",
  "chaque|tous les|cada|todos los|todas las|ogni|todos os|elke"
);
var PASSING = new RegExp(
  [
    "(?<!\\p{L})(?:I['\u2019]m|I am|is) (?:not )?(?:so |very |a bit |just |really |still |all |too )?(?:tired|late|here|there|back|done|stuck|sick|ill|busy|sorry|glad|sure|happy|sad|afraid|ready|away|off|out|lost|confused|curious|excited|fine|ok(?:ay)?|in (?:a|the) (?:meeting|call|office)|at (?:the|a)|on (?:holiday|leave|vacation|the (?:way|train|bus|phone))|asked|told|down|broken|(?!working|living|learning|studying|training|intolerant)\\p{L}+ing)(?!\\p{L})",
    "(?<!\\p{L})(?:I|user) (?:have|['\u2019]ve|has|had) (?:to|been (?:to|there|\\p{L}+ing)|just|already|a (?:question|meeting|call|problem|cold|headache|fever|flight|appointment)|an (?:appointment|issue|idea|interview)|\\p{L}+ed)(?!\\p{L})",
    "(?<!\\p{L})(?:has|have|had) to(?!\\p{L})",
    // Without what stands before it, "it" is nothing.
    "(?<!\\p{L})I (?:\\S+ ){1,3}(?:it|that|this|them)(?!\\p{L})",
    "(?<!\\p{L})again(?!\\p{L})",
    "(?<!\\p{L})(?:want|wants|wanted) (?:to know|help|a refund|us to check)(?!\\p{L})",
    "(?<!\\p{L})(?:habe?|hat|bin|ist|hab) (?:[^.!?]* )?(?:ge\\p{L}+(?:t|en)|\\p{L}+(?:ge)\\p{L}+(?:t|en)|\\p{L}+iert|ver\\p{L}+(?:t|en)|be\\p{L}+t)(?=[.,!;]|$)",
    "(?<!\\p{L})(?:j['\u2019]ai|a|est|suis) (?:\\p{L}+ )?\\p{L}+(?:\xE9|\xE9e|\xE9s)(?!\\p{L})",
    "(?<!\\p{L})(?:he|ha|has) (?:\\p{L}+)(?:ado|ido)(?!\\p{L})",
    "(?<!\\p{L})(?:ho|ha|sono|\xE8) (?:\\p{L}+ )?(?!allergic)\\p{L}+(?:ato|ito|uto|ata|ita|uta)(?=[ .,!])",
    "(?<!\\p{L})(?:heb|heeft|ben|is) (?:[^.!?]* )?ge\\p{L}+(?:t|d|en)(?=[.,!;]|$)",
    "\u307E\u3057\u305F|\u3067\u3057\u305F|\u3068\u3053\u308D",
    "(?:\u6628|\u521A|\u521A\u521A|\u5DF2\u7ECF)[^\u3002]*\u4E86"
  ].join("|"),
  "iu"
);
function isPassing(sentence) {
  return [SECRET, SECRET_SCRIPTS, REFERENCE, ROTA, UNSURE2, UNSURE_SCRIPTS].some((cue) => cue.test(sentence)) || /[?？]["”’)»]*$/u.test(sentence);
}
function isTemporary(sentence) {
  return [TEMPORARY, TEMPORARY_SCRIPTS, PASSING].some((cue) => cue.test(sentence));
}

// src/domain/profile/state-cues.ts
var USER = [
  "(?:the )?user",
  "(?:der |die )?(?:Benutzer(?:in)?|Nutzer(?:in)?)",
  "l['\u2019]utilisat(?:eur|rice)",
  "(?:el |la )?usuari[oa]",
  "l['\u2019]utente",
  "(?:o |a )?(?:usu\xE1ri[oa]|utilizador(?:a)?)",
  "(?:de )?gebruiker",
  "u\u017Cytkownik",
  "\u30E6\u30FC\u30B6\u30FC",
  "\u7528\u6237",
  "\u4F7F\u7528\u8005"
];
var ADVERBS = "(?:(?:\\p{L}+ly|always|never|usually|often|mostly|only|also|still|now|really|do|don['\u2019]t|does|doesn['\u2019]t|not|no longer|cannot|can['\u2019]t|both|just|much|nicht|immer|nie|gern|gerne|kein(?:e|en)?|lieber|ne|n['\u2019]|no|non|n\xE3o|nunca|toujours|jamais|siempre|sempre|niet|altijd|nooit|nie) )*";
var STATES2 = [
  [
    "am|have|own|live|work|like|love|prefer|hate|dislike|enjoy|speak|study|play|use|drive|ride|drink|eat|avoid|want|wear|take|keep|collect|follow|support|practi[cs]e|read|write|cook|bake|run|swim|cycle|sleep|get up|wake up|commute|teach|manage|lead|smoke|go|train|listen|watch|sit|work|come from|identify|answer|sign|suffer|pay|stand",
    "is|isn['\u2019]t|has|hasn['\u2019]t|owns?|lives?|works?|likes?|loves?|prefers?|hates?|dislikes?|enjoys?|speaks?|stud(?:y|ies)|plays?|uses?|drives?|rides?|drinks?|eats?|avoids?|wants?|wears?|takes?|keeps?|collects?|follows?|supports?|practi[cs]es?|reads?|writes?|cooks?|bakes?|runs?|swims?|cycles?|sleeps?|gets up|wakes up|commutes?|teach(?:es)?|manages?|leads?|smokes?|goes|trains?|listens?|watch(?:es)?|sits?|comes? from|identif(?:y|ies)|answers?|signs?|suffers?|means|goes by|doesn['\u2019]t|does not"
  ],
  [
    "bin|habe?|mag|liebe|hasse|bevorzuge|wohne|lebe|arbeite|esse|trinke|spreche|spiele|fahre|laufe|hei(?:\xDF|ss)e|lerne|studiere|nutze|benutze|verwende|trage|komme aus|vertrage|rauche|gehe|schlafe|jogge|koche|lese|h\xF6re|brauche|m\xF6chte|kann kein(?:e|en)?",
    "ist|hat|mag|liebt|hasst|bevorzugt|wohnt|lebt|arbeitet|isst|trinkt|spricht|spielt|f\xE4hrt|l\xE4uft|hei(?:\xDF|ss)t|lernt|studiert|nutzt|benutzt|verwendet|tr\xE4gt|kommt aus|vertr\xE4gt|raucht|geht|schl\xE4ft|joggt|kocht|liest|h\xF6rt|braucht|m\xF6chte|kann kein(?:e|en)?"
  ],
  [
    "suis|ai|vis|habite|travaille|pr\xE9f\xE8re|aime|d\xE9teste|adore|bois|mange|parle|joue|conduis|porte|utilise|cours|fais|m['\u2019]appelle|viens de|lis|\xE9coute|\xE9tudie|dors|fume",
    "est|a|vit|habite|travaille|pr\xE9f\xE8re|aime|d\xE9teste|adore|boit|mange|parle|joue|conduit|porte|utilise|court|fait|s['\u2019]appelle|vient de|lit|\xE9coute|\xE9tudie|dort|fume|veut|souhaite|demande"
  ],
  [
    "soy|tengo|vivo|trabajo|prefiero|odio|hablo|juego|toco|bebo|uso|conduzco|como|estudio|corro|llevo|leo|escucho|duermo|fumo|detesto|me gustan?|me encantan?|me llamo",
    "es|tiene|vive|trabaja|prefiere|odia|habla|juega|toca|bebe|usa|conduce|come|estudia|corre|lleva|lee|escucha|duerme|fuma|detesta|quiere|pide|le gustan?|le encantan?|se llama"
  ],
  [
    "sono|ho|vivo|abito|lavoro|preferisco|odio|parlo|gioco|bevo|uso|guido|mangio|studio|corro|porto|leggo|ascolto|dormo|fumo|amo|mi piac(?:e|ciono)|mi chiamo",
    "\xE8|ha|vive|abita|lavora|preferisce|odia|parla|gioca|beve|usa|guida|mangia|studia|corre|porta|legge|ascolta|dorme|fuma|ama|vuole|(?:gli|le) piac(?:e|ciono)|si chiama"
  ],
  [
    "sou|tenho|moro|vivo|trabalho|prefiro|odeio|falo|jogo|toco|bebo|uso|dirijo|conduzo|como|estudo|corro|leio|ou\xE7o|durmo|fumo|gosto|adoro|chamo-me|me chamo",
    "\xE9|tem|mora|vive|trabalha|prefere|odeia|fala|joga|toca|bebe|usa|dirige|conduz|come|estuda|corre|l\xEA|ouve|dorme|fuma|gosta|adora|quer|chama-se"
  ],
  [
    "ben|heb|woon|werk|hou|eet|drink|spreek|speel|rijd|draag|heet|gebruik|haat|studeer|kom uit|lees|luister|slaap|rook|ga|vind|wil",
    "is|heeft|woont|werkt|houdt|eet|drinkt|spreekt|speelt|rijdt|draagt|heet|gebruikt|haat|studeert|komt uit|leest|luistert|slaapt|rookt|gaat|vindt|wil"
  ],
  [
    "jestem|mam|mieszkam|pracuj\u0119|wol\u0119|lubi\u0119|pij\u0119|jem|m\xF3wi\u0119|u\u017Cywam|gram",
    "jest|ma|mieszka|pracuje|woli|lubi|pije|je|m\xF3wi|u\u017Cywa|gra"
  ]
];
var WITHOUT_SUBJECT = [3, 4, 5, 7].map((at) => STATES2[at][0]);
var first = STATES2.map(([forms]) => forms).join("|");
var third = STATES2.map(([, forms]) => forms).join("|");
var SELF_STATE = new RegExp(
  [
    `(?<!\\p{L})(?:(?:I|ich|je|yo|io|eu|ik) ${ADVERBS}|j['\u2019](?:n['\u2019])?|je n['\u2019])(?:${first})(?!\\p{L})`,
    `(?<!\\p{L})I(?:['\u2019]m|['\u2019]ve (?:got|been)|['\u2019]d rather)(?!\\p{L})`,
    `(?<!\\p{L})(?:${STATES2[1][0]}|${STATES2[6][0]}) (?:ich|ik)(?!\\p{L})`,
    `(?:^|[,;:] |(?<!\\p{L})(?:y|e|pero|ma|mas|ale|no|non|n\xE3o|nie) )(?:${WITHOUT_SUBJECT.join("|")})(?!\\p{L})`
  ].join("|"),
  "iu"
);
var THIRD_STATE = new RegExp(`^(?:,[^,]*,)? ?${ADVERBS}(?:${third})(?!\\p{L})`, "iu");
var DROPPED_SUBJECT = new RegExp(
  `^(?:(?:does(?:n['\u2019]t| not)|never|always|usually|mostly|no longer) )?(?:(?:likes|loves|prefers|hates|dislikes|enjoys|lives|works|speaks|studies|owns|plays|uses|drives|rides|drinks|eats|avoids|wears|collects|smokes|mag|wohnt|arbeitet|trinkt|isst|spricht|bevorzugt|aime|habite|travaille|pr\xE9f\xE8re|prefiere|vive|trabaja|preferisce|abita|lavora|prefere|mora|trabalha|woont|werkt|houdt van)(?!\\p{L})|(?:is |ist |est |es |\xE8 |\xE9 )?(?:allergic to|allergi(?:es?|sch gegen|sch voor|que (?:\xE0|aux?))|al\xE9rgic[oa]|allergic[oa] a|vegan|vegetarian|vegetari[\xEBs]ch|vegetarier(?:in)?|v\xE9g\xE9tarienne?|vegetarian[oa]|pescatarian|(?:lactose|gluten)[ -]intolerant|co?eliac|diabeti[ck]|(?:left|right)-handed|married to|born (?:in|on)|geboren|n\xE9e? (?:\xE0|en|le)|nacid[oa] en)(?!\\p{L}))`,
  "iu"
);
var LASTING_CHANGE = wholeWords(
  "moved (?:to|in|back|house)",
  "relocated",
  "(?:gave|given|giving) up",
  "quit(?! the meeting)",
  "stopped (?:\\p{L}+ing|using)",
  "switched (?:to|from|over)",
  "became",
  "got (?:married|engaged|divorced|a dog|a cat|the (?:\\p{L}+ ){0,3}(?:job|post|position))",
  "born",
  "grew up",
  "retired",
  "graduated",
  "started (?:working|learning|as)",
  "no longer",
  "adopted",
  "umgezogen|aufgeh\xF6rt|aufgegeben|geheiratet|verheiratet|geboren|aufgewachsen|umgestiegen|nicht mehr",
  "d\xE9m\xE9nag\xE9|emm\xE9nag\xE9|arr\xEAt\xE9|n\xE9e?|mari\xE9e?|devenue?|ne [^.]* plus",
  "mud\xE9|mudado|dejado|dej\xE9|nac\xED|cas\xE9|ya no",
  "trasferit[oa]|smesso|nat[oa]|sposat[oa]|non [^.]* pi\xF9",
  "mudei|parei|deixei|nasci|casei|j\xE1 n\xE3o",
  "verhuisd|gestopt|getrouwd|niet meer"
);
var SELF = wholeWords(
  "I|I['\u2019]\\p{L}+|me|my|mine",
  "ich|mir|mich|mein(?:e|er|em|en|es)?",
  "je|j['\u2019]\\p{L}+|moi|mon|ma|mes",
  "yo|mi|mis|m\xED|me",
  "io|mio|mia|miei|mie",
  "eu|meu|minha|meus|minhas|mim",
  "ik|mij|mijn",
  "m\xF3j|moja|moje|mnie|mn\u0105|mi"
);
var MY = "(?:my|mein(?:e|er)?|mon|ma|mes|m[iy]s?|(?:il |la |i |le )?(?:mio|mia|miei|mie)|(?:o |a |os |as )?(?:meu|minha|meus|minhas)|mijn|m\xF3j|moja|moje)";
var COPULA = wholeWords(
  "is|are|isn['\u2019]t|has|needs?|goes|runs|costs|comes|stands",
  "ist|sind|hat|hei(?:\xDF|ss)t",
  "est|sont|a|s['\u2019]appelle",
  "es|son|tiene|se llama",
  "\xE8|sono|ha|si chiama",
  "\xE9|s\xE3o|tem|chama-se",
  "zijn|heeft|heet",
  "to|jest"
);
var PERSON = wholeWords(
  "m(?:o|u)ther|mum|mom|dad|father|parents?|sister|brother|siblings?|wife|husband|partner|girlfriend|boyfriend|fianc[e\xE9]e?|son|daughter|kids?|child(?:ren)?|baby|grand\\p{L}+|aunt|uncle|cousin|niece|nephew|friend|boss|manager|colleague|co-?worker|teammate|neighbou?r|flatmate|roommate|landlord|landlady|doctor|dentist|therapist|coach|trainer|teacher|in-laws?",
  "Mutter|Vater|Mama|Papa|Eltern|Schwester|Bruder|Geschwister|Frau|Mann|Sohn|Tochter|Kind(?:er)?|Oma|Opa|Tante|Onkel|Cousine?|Nichte|Neffe|Freund(?:in)?|Chef(?:in)?|Kolleg(?:e|in)|Nachbar(?:in)?|\\p{L}*arzt|\\p{L}*\xE4rztin|Lehrer(?:in)?",
  "m\xE8re|p\xE8re|parents|s\u0153ur|soeur|fr\xE8re|femme|mari|copine|copain|fils|fille|enfants?|tante|oncle|cousine?|amie?|chef|patronne?|coll\xE8gue|voisine?|m\xE9decin|dentiste",
  "madre|padre|padres|hermanas?|hermanos?|mujer|marido|novi[oa]|hij[oa]s?|abuel[oa]s?|t\xED[oa]|prim[oa]|amig[oa]s?|jef[ea]|compa\xF1er[oa]s?|vecin[oa]|m\xE9dic[oa]",
  "genitori|sorella|fratello|moglie|marito|ragazz[oa]|figli[oae]?|nonn[oa]|zi[oa]|cugin[oa]|amic[oa]|capo|collega|vicin[oa]|medico",
  "m\xE3e|pai|pais|irm\xE3|irm\xE3o|esposa|namorad[oa]|filh[oa]s?|av[\xF3\xF4]|ti[oa]|chefe|vizinh[oa]",
  "moeder|vader|ouders|zus|broer|vrouw|man|vriend(?:in)?|zoon|dochter|kinderen|baas|collega|buur(?:man|vrouw)|huisarts|tandarts"
);
var INSTRUCTION = new RegExp(
  [
    "^(?:please[,:]? |always |never |don['\u2019]t |do not |no more |stop |only |from now on,? )+(?:\\p{L}+ly )?(?:answer|repl(?:y|ies)|respond|writ(?:e|ing)|us(?:e|ing)|giv(?:e|ing)|send(?:ing)?|show(?:ing)?|explain(?:ing)?|suggest(?:ing)?|recommend(?:ing)?|call(?:s|ing)?|plan(?:ning)?|address|format|include|book(?:ing)?|speak|talk|remind(?:ing)?|ask(?:ing)?|assume|put|keep|skip|schedul(?:e|ing)|arrang(?:e|ing)|e-?mails?|text|emoji)(?!\\p{L})",
    "^keep (?:your|the|all|it|answers|replies)(?!\\p{L})",
    "^(?:answer|reply|respond|write|talk|speak)(?: to)? ?(?:me )?(?:only |always )?(?:in|with|as) ",
    "^(?:book|send|give|show|write|wake|put|plan) (?:\\p{L}+ ){0,3}me (?=.*(?<!\\p{L})(?:always|never|only|whatever|instead|rather|any ?more|no more|from now on|not)(?!\\p{L}))",
    "(?<!\\p{L})(?:please|no) [^.!?]*(?<!\\p{L})(?:for me|to me|my)(?!\\p{L})",
    "^(?:(?:bitte )?(?:antworte|schreib|nenn|sprich|erkl\xE4r)\\p{L}*|bitte (?:immer|nie|keine?n?|nur))(?!\\p{L})",
    "^(?:s['\u2019]il (?:te|vous) pla[i\xEE]t,? )?(?:r\xE9ponds|r\xE9pondez|\xE9cris|\xE9crivez|appelle-moi|appelez-moi)(?!\\p{L})",
    "^(?:por favor,? )?(?:responde|contesta|escr[i\xED]be(?:me)?|ll\xE1mame|responda|escreva|chama-me|chame-me)(?!\\p{L})",
    "^(?:per favore,? )?(?:rispondi(?:mi)?|scrivi(?:mi)?|chiamami)(?!\\p{L})",
    "^(?:graag |alsjeblieft )(?:in|altijd|geen)(?!\\p{L})|^(?:antwoord|schrijf|noem me)(?!\\p{L})",
    "\u304A\u9858\u3044\u3057\u307E\u3059|\u3057\u3066\u304F\u3060\u3055\u3044|\u3057\u3066\u307B\u3057\u3044|\u66F8\u3044\u3066\u307B\u3057\u3044|\u5E0C\u671B"
  ].join("|"),
  "iu"
);
var CALL_ME = /(?<!\p{L})[Cc]all me \p{Lu}\p{L}+/u;
var EAST_ASIAN_STATE = /(?:です|だ$|好き|嫌い|苦手|得意|住んで|働いて|勤めて|アレルギー|使って|飲みません|食べません|飲まない|食べない|話せ|話します|趣味|派|希望|なし|ほしい|喜欢|喜歡|爱|讨厌|討厭|不吃|不喝|住在|工作|是|过敏|過敏|偏好|习惯|习慣|会说|會說|叫|养|用)/u;
var EAST_ASIAN_SELF = /^(?:私|僕|俺|わたし|ぼく|自分|ユーザー)(?:は|が|には|の(?![父母兄姉弟妹妻夫友娘]|息子|同僚|上司))|^(?:我(?!们|們|的?(?:姐|妹|哥|弟|妈|媽|爸|父|母|妻|丈夫|老公|老婆|儿子|女儿|朋友|同事|老板))|用户|使用者)/u;

// src/domain/profile/facts-about-user.ts
function factsAboutUser(text, time, names2) {
  const whole = text.trim();
  const { said, isOwn } = ownWords(whole, names2);
  const sentences = sentencesOf(said).map(({ start, end }) => said.slice(start, end));
  const judged = sentences.map((sentence) => judge(sentence, time, names2, isOwn));
  if (!judged.includes("fact")) return [];
  if (!judged.includes("never")) return [whole];
  return sentences.filter((_, at) => judged[at] === "fact");
}
function judge(sentence, time, names2, isOwn) {
  if (isPassing(sentence)) return "never";
  const isOfUser = SELF.test(sentence) || names2.startOf(sentence) !== void 0;
  if (isOfUser && LASTING_CHANGE.test(sentence) && !isOfOthers(sentence)) return "fact";
  if (isTemporary(sentence) || isTiedToDays(sentence, time) && !HABIT.test(sentence)) return "never";
  return isFact(sentence, names2, isOwn) ? "fact" : "neutral";
}
function isFact(sentence, names2, isOwn) {
  if (CALL_ME.test(sentence) || INSTRUCTION.test(sentence) || DROPPED_SUBJECT.test(sentence)) return true;
  if (EAST_ASIAN_SELF.test(sentence)) return EAST_ASIAN_STATE.test(sentence);
  const subject = names2.startOf(sentence);
  if (subject !== void 0)
    return subject.isPossessive ? isOwned(subject.rest) : THIRD_STATE.test(subject.rest) || EAST_ASIAN_STATE.test(subject.rest);
  const possession = OWN.exec(sentence);
  if (possession && isOwned(sentence.slice(possession[0].length))) return true;
  return SELF_STATE.test(sentence) || isOwn && !FINITE.test(sentence);
}
var OWN = new RegExp(`^(?:(?:on|in|at|every) \\p{L}+,? |and |but |und |et |y |e |en )?${MY} `, "iu");
var FINITE = /(?<!\p{L})(?:is|are|was|were|has|have|had|will|ist|sind|war|hat|est|sont|es|está|è|é|\p{L}{3,}ed)(?!\p{L})/iu;
var NAMING2 = /(?:called|named|hei(?:ß|ss)t|s['’]appelle|se llama|si chiama|chama-se|heet|(?:is|ist|est|es|è|é)) (?:\p{Lu}|Dr|Frau|Herr)/u;
function isOwned(rest) {
  const [owned = ""] = rest.split(COPULA, 1);
  if (owned === rest) return /^[^.]{1,40}: /u.test(rest) && !PERSON.test(owned);
  return owned.split(/\s+/u).length <= 6 && (!PERSON.test(owned) || NAMING2.test(rest));
}
function isOfOthers(sentence) {
  const possession = OWN.exec(sentence);
  return possession !== null && PERSON.test(sentence.slice(possession[0].length).split(/\s+/u, 3).join(" "));
}
var SPEAKER = /^\s*(?<speaker>[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)?(?: \([^():]{1,30}\))?)\s*[:：]\s*/u;
function ownWords(text, names2) {
  const lines = text.split("\n");
  const turns = lines.map((line) => SPEAKER.exec(line));
  const isUser = (turn) => turn !== null && names2.has(turn.groups["speaker"]);
  if (!isUser(turns[0])) return { said: text, isOwn: false };
  let isUsersTurn = true;
  const said = lines.flatMap((line, at) => {
    const turn = turns[at];
    if (turn && (isUser(turn) || /^(?:assistant|agent|ai|bot)$/iu.test(turn.groups["speaker"])))
      isUsersTurn = isUser(turn);
    return isUsersTurn ? [isUser(turn) ? line.slice(turn[0].length) : line] : [];
  });
  return { said: said.join("\n"), isOwn: true };
}

// src/domain/profile/user-names.ts
var USER_WORD = new RegExp(`^(?:${USER.join("|")})(?!\\p{L})`, "iu");
var INTRODUCTION = /(?<!\p{L})(?:[Mm]y name is|[Cc]all me|I['’]m called|[Uu]ser['’]s name is|[Uu]ser is called|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo|[Mm]i chiamo|[Mm]e chamo|[Cc]hamo-me|[Ii]k heet) (\p{Lu}[\p{L}'’-]+)/gu;
var LEAD2 = /^(?:(?<allergy>allerg(?:y|ie|ia)|alergia)\s+(?:of|von|de|di|van)|[ao]|para|für|pour|for)\s+/iu;
var HONORIFIC = /^(?:さん|様|くん|ちゃん)/u;
var NO_NAME = /* @__PURE__ */ new Set(["user", "users", "the", "admin", "test", "id", "usr"]);
var UserNames = class {
  #names;
  /** `user`: the id, which often contains a name ("mia", "dana.kessel"). `texts`: memories in which the user may say a name. */
  constructor(user, texts) {
    const parts2 = user.split(/[^\p{L}]+/u).filter((part) => part.length > 1);
    const told = [...texts].flatMap((text) => [...text.matchAll(INTRODUCTION)].map(([, name]) => name));
    this.#names = new Set([...parts2, ...told].map(fold).filter((name) => !NO_NAME.has(name)));
  }
  /** Whether this names the user: "user", "Mia", "Mia Olsen", "user (Mia)". */
  has(speaker) {
    if (USER_WORD.test(speaker)) return true;
    const [first2 = ""] = speaker.replace(/(?:さん|様)?(?:より)?$/u, "").split(/[\s(]/u);
    return this.#names.has(fold(first2));
  }
  /** The sentence as one about the user; undefined if it begins with nothing that names the user. */
  startOf(sentence) {
    const lead = LEAD2.exec(sentence);
    const text = sentence.slice(lead?.[0].length ?? 0);
    const called = USER_WORD.exec(text)?.[0] ?? this.#nameAt(text);
    if (called === void 0) return void 0;
    const rest = text.slice(called.length).replace(HONORIFIC, "");
    const allergy = lead?.groups["allergy"];
    if (allergy !== void 0) return { isPossessive: true, rest: `${allergy}${rest}` };
    const possessive = /^['’]s?\s/u.exec(rest);
    return possessive ? { isPossessive: true, rest: rest.slice(possessive[0].length) } : { isPossessive: false, rest: rest.replace(/^ \p{Lu}\p{L}+(?= )/u, "") };
  }
  /** The name of the user at the beginning of a text, a family name after it not included. */
  #nameAt(text) {
    const [word] = /^\p{L}[\p{L}-]*/u.exec(text) ?? [];
    if (word === void 0) return void 0;
    if (this.#names.has(fold(word))) return word;
    return [...this.#names].find((name) => /^[^\p{Script=Latin}]/u.test(name) && fold(text).startsWith(name));
  }
};

// src/domain/text/language-share.ts
var FREQUENT_WORDS = new Map(
  [
    "der die das und ist nicht ein eine einen einem mit fur von zu den dem im auf sich sind wird werden bei nach wir ich am kein keine nur oder aber auch als wie hat habe beim vor zum zur uber mein meine kann",
    // German
    "le la les des est et un une pour dans que qui pas sur avec nous vous ils elle au aux du ce cette sont ne se mais ou son sa ses leur sans je il a",
    // French
    "el los las una por con para que del se es como pero su sus esta este son mas lo al pero muy sin ya mi le desde hasta",
    // Spanish
    "il che di per non una sono con della delle dei gli nel alla questo anche lo al dal nella mi si ma ho ha",
    // Italian
    "os uma para com nao do da em dos das que por mais ele ela esta sao mas na seu sua foi ja ate",
    // Portuguese
    "het een van en niet op voor dat zijn met aan wordt naar ook maar ik je om bij nog",
    // Dutch
    "och att det som pa inte ett ar av med til ikke og jeg har der vi ja ei ole",
    // Nordic languages
    "nie na jest do ze sie jak przez dla oraz jsem neni ktery",
    // Polish, Czech
    "ve bir bu icin ile da de olarak var",
    // Turkish
    "la cua va khong cac duoc trong nguoi mot co",
    // Vietnamese
    "yang dan untuk dengan ini itu tidak pada adalah akan",
    // Indonesian
    "nem hogy egy az es van si este sunt pentru care cu"
    // Hungarian, Romanian
  ].map((line) => [
    line.slice(0, line.indexOf(" ")),
    new Set(line.split(" ").filter((word) => !STOP_WORDS.has(word)))
  ])
);
var FOREIGN_WORDS = new Set([...FREQUENT_WORDS.values()].flatMap((all2) => [...all2]));
var SCRIPTS = [
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Thai}/u
];
var LEAST_WORDS = 4;
var MOST_WORDS = 80;
var MOST_OTHER_LETTERS = 0.3;
function isInOtherLetters(text) {
  const letters2 = text.match(/\p{L}/gu) ?? [];
  const latin = letters2.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  return letters2.length > 0 && (letters2.length - latin) / letters2.length > MOST_OTHER_LETTERS;
}
function languageOf(text) {
  if (isInOtherLetters(text)) return SCRIPTS.find((script2) => script2.test(text))?.source ?? "other";
  const found = words(text).slice(0, MOST_WORDS);
  if (found.length < LEAST_WORDS) return void 0;
  const counts = [["english", STOP_WORDS], ...FREQUENT_WORDS].map(
    ([name, frequent]) => [name, found.filter((word) => frequent.has(word)).length]
  );
  const [best, second] = counts.sort(([, left], [, right]) => right - left);
  return best[1] > second[1] ? best[0] : void 0;
}

// src/domain/summaries/depths.ts
import { z as z3 } from "zod";
var depths = ["sentence", "paragraph", "detailed"];
var depthSchema = z3.enum(depths);
var tokensOfDepth = { sentence: 50, paragraph: 200, detailed: 500 };

// src/domain/summaries/quotable.ts
var END = /[.!。！．…।؟]["'”’»)\]）」』*_]*$/u;
var QUESTION = /[?？؟]["'”’»)\]*_]*$/u;
var ITEM2 = /^(?:[-*+•·–>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+/u;
var HEADING = /^#{1,6}\s|^[=_*~-]{3,}$/u;
var NO_PROSE = /\||`{3}|=>|->|<\/?[a-z][^>]*>|\[!|\[\^|\]\(|\[[^\]]*\]|\{|\}|;$|^\$ |^\/\/|[\w)]\(\)|\\\w|https?:\/\/\S+\)?[.]?$|(?:^|\s)--\w|\b(?:TODO|TBD|FIXME|NOTE|N\/A)\b|\p{Extended_Pictographic}/u;
var REFERENCE2 = wholeWords(
  "see (?:also|the|our|this|these|below|above|here|for|\\[)|see(?=[.:]$)",
  "refer(?:s|red)? to the (?:\\p{L}+ ){0,5}(?:documentation|docs|guide|page|section|playbook|handbook|table|list)|please (?:refer|read|review|check|reach|contact|note|visit|consult)|check out|read (?:more|the)|click|learn more",
  "(?:listed|described|defined|shown|outlined|mentioned|given|explained|detailed|noted|discussed) (?:above|below|here|earlier|later|previously)|the following|aforementioned|(?:can be )?found (?:at|in|here)",
  "for (?:more|further|additional|full|complete|current) (?:information|details?|help|guidance|context|reading|instructions)|for details|for reference|additional (?:help|information|details)",
  "(?:this|these) (?:(?:short|step-by-step|following|next) )?(?:docs?|documents?|pages?|guides?|sections?|handbooks?|polic(?:y|ies)|files?|chapters?|charters?|articles?|posts?|tables?|lists?|examples?|steps?|proposals?|KEPs?|instructions?|notes?|readmes?|methods?|process|procedure|templates?|artifacts?|changes?|issues?)|the (?:document|page|guide|section|charter)s?",
  "step-by-step guide|refer to|information here|in (?:a|the) (?:later|next|previous) section|[-\u2013] more",
  "here (?:is|are|you)|as follows|table of contents|appendix|e\\.g\\.,? the",
  "siehe|vgl|siehe oben|wie oben|folgende[nrs]?|(?:oben|unten) (?:genannt\\p{L}*|beschrieben\\p{L}*)",
  "voir|ci-dessous|ci-dessus|suivante?s?|v\xE9ase|ver (?:m\xE1s|abajo|arriba)|siguientes?|a continuaci\xF3n|vedi|seguenti?|veja|abaixo|acima|zie"
);
var BOILERPLATE = new RegExp(
  [
    "^(?:hi|hello|hey|welcome|thanks?|thank you|dear|congrat\\p{L}*|cheers|sorry|ok(?:ay)?|yes|no|great|perfect|hallo|guten|danke|vielen dank|liebe[rs]?|bonjour|merci|hola|gracias|ciao|grazie|ol\xE1|obrigad[oa])[,.! ]",
    "(?<!\\p{L})(?:thank you for|feel free|happy to help|let us know|let me know|don['\u2019]t hesitate|if you have (?:any )?(?:questions?|feedback|suggestions?|ideas)|all rights reserved|copyright|licensed under|last updated|good luck|have fun|subscribe|reach out)(?!\\p{L})"
  ].join("|"),
  "iu"
);
var LEANING = new RegExp(
  `^(?:${[
    "(?:he|she|it|they|this|that|these|those|such|its|their|his|her|both|neither|another|others?|the (?:former|latter|same|above|other)|here|there|one of)",
    "(?:however|therefore|thus|hence|also|additionally|in addition|furthermore|moreover|for example|for instance|in other words|in this|in that|in these|in those|in such|at this|at that|with this|with that|with these|for this|for that|for these|to do (?:this|so)|to this|by doing|on the other hand|otherwise|instead|but|and|or|so|then|finally|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|similarly|likewise|as a result|as such|after that|after this|before that|consequently|if so|if not|if (?:it|they|this|that|these|those)|if you (?:have|do|are|want|need|find)|note|nevertheless|still|besides|meanwhile|in the same way|not to be|once (?:this|that|it|you|done)|i\\.e\\.|e\\.g\\.|etc|because|since (?:this|it|that)|while (?:this|it)|other than that)",
    "(?:er|sie|es|das (?:ist|sind|war|wird|hat|geht|gilt|kann)|dies(?:e[mnrs]?)?|dazu|dabei|daf\xFCr|damit|dadurch|danach|deshalb|daher|au\xDFerdem|jedoch|allerdings|aber|und|oder|zum beispiel|sonst|ebenso)",
    "(?:il|elle|ils|elles|cela|ceci|\xE7a|ce|cette|ces|cet|ainsi|donc|mais|et|de plus|par exemple|en outre|sinon|puis|ensuite)",
    "(?:est[oae]s?|es[oae]s?|\xE9l|ellas?|ellos|adem\xE1s|sin embargo|por ejemplo|pero|y|tambi\xE9n|as\xED|entonces|luego)",
    "(?:quest[oaie]|ci\xF2|inoltre|tuttavia|per\xF2|ma|e|ed|lui|quindi|poi|anche)",
    "(?:iss?o|ele|ela|eles|elas|al\xE9m disso|por\xE9m|mas|tamb\xE9m|assim|ent\xE3o)",
    "(?:hij|zij|ze|het (?:is|was|wordt)|deze|dit|dat|daarom|ook|maar|en|bovendien)",
    "(?:\u3053\u308C|\u305D\u308C|\u307E\u305F|\u3057\u304B\u3057|\u305D\u3057\u3066|\u305D\u306E\u305F\u3081|\u3053\u306E|\u305D\u306E)(?=\\S)"
  ].join("|")})(?!\\p{L})`,
  "iu"
);
var LEANING_JAPANESE = /^(?:これ|それ|また|しかし|そして|そのため|この|その)/u;
var WITHOUT_SUBJECT2 = /^(?:(?:Covers|Owns|Handles|Provides|Includes|Contains|Supports|Allows|Uses|Means|Does|Makes|Needs|Runs|Gets|Works|Lists|Shows|Defines|Describes)|(?:The|Our|Its) (?:objective|goal|purpose|aim|intent|idea|scope) (?:is|are)|\p{Lu}\p{Ll}+ed(?! [^.]*(?<!\p{L})(?:is|are|was|were|has|have|can|must|should|will|may|does|do)(?!\p{L})))(?!\p{L})/u;
var BARE_THIS = /(?<!\p{L})(?:this|these|those)(?= (?:an?|the|is|are|was|were|on|in|to|we|you|can|will|and|or|as|up)(?!\p{L})|[,.;:!?])/iu;
var INSTRUCTION2 = new RegExp(
  [
    "^(?:make sure|ensure|keep in mind|navigate|click|run|create|add|edit|use|go|open|select|check|ask|read|clone|update|set|install|contact|remember|consider|try|clearly|follow|download|copy|enter|choose|verify|do not|don['\u2019]t|upon completion|as you|be sure|look|find|make|give|take|get|let|start|review|ping|post|send|submit|write|describe|provide|include|avoid|remove|replace|apply|test|wait|work with|join|visit|imagine|assume|suppose|extract|we['\u2019]re excited|many thanks)(?!\\p{L})",
    "^to \\p{Ll}+(?![^,]*, )|^(?:see|refer) |(?<!\\p{L})(?:above|below)(?!\\p{L})",
    "(?<!\\p{L})please(?!\\p{L})",
    "^[*_]|/ /"
  ].join("|"),
  "iu"
);
var FINITE2 = wholeWords(
  "is|are|was|were|has|have|had|can|could|must|should|will|would|may|might|needs?|do|does|did",
  "ist|sind|war|hat|haben|kann|muss|soll|wird|werden|darf",
  "est|sont|ont|peut|doit|es|est\xE1|est\xE1n|tiene|puede|debe|\xE8|sono|ha|pu\xF2|deve|\xE9|s\xE3o|tem|pode|heeft|zijn|kan|moet|wordt"
);
var minWords2 = 5;
function sentencesToQuote(content) {
  const spans = joined(content, sentencesOf(content));
  const isNote = !content.trim().includes("\n");
  const sentences = [];
  let isInCode = false;
  let isUnderStub = false;
  for (const [at, span] of spans.entries()) {
    const line = content.slice(span.start, span.end);
    const startsLine = at === 0 || content.slice(spans[at - 1].end, span.start).includes("\n");
    const isFence = /^(?:`{3}|~{3})/u.test(line);
    if (isFence) isInCode = !isInCode;
    const mark = startsLine ? ITEM2.exec(line)?.[0] ?? "" : "";
    if (startsLine && mark === "") isUnderStub = false;
    const text = line.slice(mark.length);
    const isStartOfNote = isNote && at === 0;
    const isWhole = !isInCode && !isFence && !(mark !== "" && (isUnderStub || /\d/u.test(mark))) && saysSomething(text) && (isNote || isFinished(text) && !INSTRUCTION2.test(text) && (mark === "" || FINITE2.test(text)));
    sentences.push({
      start: span.start + mark.length,
      end: span.end,
      isWhole,
      leans: LEANING.test(text) || LEANING_JAPANESE.test(text) || !isStartOfNote && isIncomplete(text),
      continues: !startsLine
    });
    if (/[:：]["*_]*$/u.test(text)) isUnderStub = true;
  }
  return sentences.filter(({ start, end }) => start < end);
}
function joined(content, spans) {
  const all2 = [];
  for (const span of spans) {
    const last = all2.at(-1);
    const gap = last && content.slice(last.end, span.start);
    const isWrapped = gap !== void 0 && /^[^\S\n]*\n[^\S\n]*$/u.test(gap) && /[\p{L}\p{N},–-]$/u.test(content.slice(last.start, last.end)) && /^\p{Ll}/u.test(content.slice(span.start, span.start + 2)) && !HEADING.test(content.slice(last.start, last.end));
    if (isWrapped) all2[all2.length - 1] = { start: last.start, end: span.end };
    else all2.push(span);
  }
  return all2;
}
function saysSomething(text) {
  return !HEADING.test(text) && !QUESTION.test(text) && !/[:：]["*_]*$/u.test(text) && !NO_PROSE.test(text) && !REFERENCE2.test(text) && !BOILERPLATE.test(text) && isBalanced(text);
}
function isFinished(text) {
  if (!END.test(text) || /^[\p{Ll}(]/u.test(text)) return false;
  const isSpaced = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text);
  return isSpaced ? text.split(/\s+/u).length >= minWords2 : text.length >= 2 * minWords2;
}
function isIncomplete(text) {
  return BARE_THIS.test(text) || WITHOUT_SUBJECT2.test(text) || !isFinished(text);
}
function isBalanced(text) {
  const count = (mark) => text.split(mark).length - 1;
  return count("(") === count(")") && count("[") === count("]") && count("\u201C") === count("\u201D") && count('"') % 2 === 0 && count("`") % 2 === 0;
}
function mainLanguageOf(texts) {
  const lengths = /* @__PURE__ */ new Map();
  for (const text of texts) {
    const language = languageOf(text);
    if (language !== void 0) lengths.set(language, (lengths.get(language) ?? 0) + text.length);
  }
  return [...lengths].sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1))[0]?.[0];
}

// src/domain/summaries/term-vector.ts
function cosine(left, right) {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}
function normalized(vector) {
  let squares = 0;
  for (const weight of vector.values()) squares += weight * weight;
  const length = Math.sqrt(squares);
  if (length === 0) return vector;
  return new Map([...vector].map(([term, weight]) => [term, weight / length]));
}
function weightedSum(vectors) {
  const sum = /* @__PURE__ */ new Map();
  for (const [vector, weight] of vectors)
    for (const [term, value] of vector) sum.set(term, (sum.get(term) ?? 0) + weight * value);
  return sum;
}
function termVectors(counts) {
  const inTexts = /* @__PURE__ */ new Map();
  for (const one of counts) for (const term of one.keys()) inTexts.set(term, (inTexts.get(term) ?? 0) + 1);
  return counts.map(
    (one) => normalized(
      new Map(
        [...one].map(([term, count]) => [
          term,
          (1 + Math.log(count)) * Math.log(1 + counts.length / inTexts.get(term))
        ])
      )
    )
  );
}

// src/domain/summaries/extract.ts
var tokensOfMark = 4;
var mostTokensOfUnit = tokensOfDepth.sentence - tokensOfMark;
var mostAlike = { first: 0.5, last: 0.85 };
var weightOfImportance = 0.5;
var gainOfLead = 1.2;
var gainOfPassing = 0.6;
var gainOfUser = 1.5;
var leastTerms = 3;
function extract(sources, depths2, count, user) {
  const ordered = [...sources].sort(
    (left, right) => left.time.getTime() - right.time.getTime() || (left.id < right.id ? -1 : 1)
  );
  const names2 = user === void 0 ? void 0 : new UserNames(
    user,
    ordered.map(({ content }) => content)
  );
  const units = unitsOf(ordered, count, names2);
  if (units.length === 0) return [];
  const centre = centreOf(ordered, units);
  return depths2.map((depth) => {
    const budget = tokensOfDepth[depth];
    const chosen = choose(ordered, units, centre, budget);
    return written(depth, ordered, chosen, count, budget) ?? cutToFit(depth, ordered, units, centre, count, budget);
  });
}
function unitsOf(sources, count, names2) {
  const whole = unitsFrom(sources, names2, ({ content }) => wholeParts(content, count));
  const main = mainLanguageOf(sources.map(({ content }) => content));
  const inMain = whole.filter(({ text, source }) => {
    const language = languageOf(text) ?? languageOf(sources[source].content);
    return language === void 0 || language === main;
  });
  if (inMain.length > 0) return inMain;
  return whole.length > 0 ? whole : unitsFrom(sources, names2, ({ content }) => anyParts(content, count));
}
function unitsFrom(sources, names2, partsOf4) {
  const parts2 = /* @__PURE__ */ new Map();
  for (const [source, memory] of sources.entries())
    for (const [at, { start, end, tokens }] of partsOf4(memory).entries()) {
      const text = memory.content.slice(start, end);
      if (!parts2.has(text))
        parts2.set(text, {
          source,
          text,
          tokens: tokens + tokensOfMark,
          gain: gainOf(text, memory, names2, at === 0)
        });
    }
  const distinct2 = [...parts2.values()];
  const vectors = termVectors(distinct2.map(({ text }) => termCounts(text).counts));
  const all2 = distinct2.map((part, place) => ({ ...part, place, vector: vectors[place] }));
  const telling = all2.filter(({ vector }) => vector.size >= leastTerms);
  return telling.length > 0 ? telling : all2.filter(({ vector }) => vector.size > 0);
}
function wholeParts(content, count) {
  const sentences = sentencesToQuote(content).map((sentence) => ({
    ...sentence,
    tokens: count(content.slice(sentence.start, sentence.end))
  }));
  const [first2, last] = [sentences[0], sentences.at(-1)];
  if (!first2 || !last) return [];
  const tokens = sentences.reduce((sum, sentence) => sum + sentence.tokens, 0);
  if (tokens <= mostTokensOfUnit && sentences.slice(1).every(({ continues }) => continues))
    return sentences.every(({ isWhole }) => isWhole) && !first2.leans ? [{ start: first2.start, end: last.end, tokens }] : [];
  return merged(sentences);
}
function merged(sentences) {
  const parts2 = [];
  let open;
  for (const { start, end, tokens, isWhole, leans, continues } of sentences) {
    if (!isWhole || !continues) open = void 0;
    if (!isWhole) continue;
    if (open && open.tokens + tokens <= mostTokensOfUnit) {
      open.end = end;
      open.tokens += tokens;
    } else if (leans) open = void 0;
    else parts2.push(open = { start, end, tokens });
  }
  return parts2;
}
function anyParts(content, count) {
  const parts2 = [];
  for (const { start, end } of sentencesOf(content)) {
    const tokens = count(content.slice(start, end));
    const last = parts2.at(-1);
    if (last && last.tokens + tokens <= mostTokensOfUnit) {
      last.end = end;
      last.tokens += tokens;
    } else parts2.push({ start, end, tokens });
  }
  return parts2;
}
function centreOf(sources, units) {
  const parts2 = /* @__PURE__ */ new Map();
  for (const { source } of units) parts2.set(source, (parts2.get(source) ?? 0) + 1);
  return normalized(
    weightedSum(
      units.map(({ vector, source }) => [vector, sources[source].importance / parts2.get(source)])
    )
  );
}
function choose(sources, units, centre, budget) {
  const chosen = [];
  const sum = /* @__PURE__ */ new Map();
  const near = new Map(units.map((unit) => [unit, cosine(unit.vector, centre)]));
  let candidates2 = units;
  let repetitions = [];
  let left = budget;
  let sumByCentre = 0;
  let sumSquared = 0;
  for (; ; ) {
    candidates2 = candidates2.filter(({ tokens }) => tokens <= left);
    if (candidates2.length === 0) {
      candidates2 = repetitions.filter(
        ({ tokens, vector }) => tokens <= left && chosen.every((other) => cosine(other.vector, vector) <= mostAlike.last)
      );
      repetitions = [];
    }
    let best;
    for (const unit2 of candidates2) {
      const bySum2 = cosine(unit2.vector, sum);
      const together = (sumByCentre + near.get(unit2)) / Math.sqrt(sumSquared + 2 * bySum2 + 1);
      const worth = together * weightOf2(unit2, sources);
      if (!best || worth > best.worth) best = { unit: unit2, worth, bySum: bySum2 };
    }
    if (!best) return chosen;
    const { unit, bySum } = best;
    chosen.push(unit);
    left -= unit.tokens;
    sumByCentre += near.get(unit);
    sumSquared += 2 * bySum + 1;
    for (const [term, weight] of unit.vector) sum.set(term, (sum.get(term) ?? 0) + weight);
    const next = [];
    for (const other of candidates2) {
      if (other === unit) continue;
      const isAlike = cosine(other.vector, unit.vector) > mostAlike.first;
      (isAlike ? repetitions : next).push(other);
    }
    candidates2 = next;
  }
}
function gainOf(text, { content, time }, names2, isFirst) {
  if (text.length !== content.trim().length) return isFirst ? gainOfLead : 1;
  const said = time.toISOString();
  if (names2 && factsAboutUser(text, said, names2).length > 0) return gainOfUser;
  return isPassing(text) || isTemporary(text) || isTiedToDays(text, said) ? gainOfPassing : 1;
}
function weightOf2({ source, gain }, sources) {
  const { importance } = sources[source];
  return (1 - weightOfImportance + weightOfImportance * importance) * gain;
}
function written(depth, sources, chosen, count, budget) {
  for (let kept = chosen.length; kept > 0; kept--) {
    const inOrder = chosen.slice(0, kept).sort((left, right) => left.place - right.place);
    const extract2 = marked(depth, sources, inOrder, count);
    if (extract2.tokenCount <= budget) return extract2;
  }
  return void 0;
}
function cutToFit(depth, sources, units, centre, count, budget) {
  const worth = (unit) => cosine(unit.vector, centre) * weightOf2(unit, sources);
  const best = units.reduce((best2, other) => worth(other) > worth(best2) ? other : best2);
  const characters = Array.from(best.text);
  const cutAt = (length) => {
    const text = characters.slice(0, length).join("");
    return marked(depth, sources, [{ ...best, text: `${text.replace(/\s+\S*$/u, "")}\u2026` }], count);
  };
  let [fits, tooLong] = [1, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (cutAt(middle).tokenCount <= budget) fits = middle;
    else tooLong = middle;
  }
  return cutAt(fits);
}
function marked(depth, sources, units, count) {
  const quoted = [...new Set(units.map(({ source }) => source))];
  const parts2 = units.map(
    ({ source, text }, index) => units[index + 1]?.source === source ? text : `${text} [${quoted.indexOf(source) + 1}]`
  );
  const content = parts2.join(" ");
  return {
    depth,
    content,
    tokenCount: count(content),
    sources: quoted.map((source) => ({ id: sources[source].id, revision: sources[source].revision }))
  };
}

// ../../../tmp/summaries/s.ts
var st = ["the gateway", "the canteen", "the harbour", "the archive", "the workshop", "the garden"].map((s, n) => ({ id: "m" + n, revision: 0, importance: 0.5, time: new Date(1e12 + n), content: `user: Remark ${n} of this morning is about the opening hours of ${s}.` }));
for (const layer of ["session", "team"]) {
  const g = holdingSteps(st, { layer, scope: {} });
  for (; ; ) {
    const r = g.next();
    if (r.done) {
      console.log(layer, r.value.length);
      break;
    }
  }
}
console.log(extract(st, ["sentence", "detailed"], (t) => t.length / 4).map((s) => s.content));
