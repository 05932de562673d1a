// Written by `npm run generate`; do not edit.

/** Names that the parts of the library define, joined by blanks. */
export const NAMES: Readonly<Record<string, string>> = {
  core: "%append_flat %arranged %at_place %calls_back %caused %changeable %chars %constant_again %copy %deadline %done %each %end_deadline %end_place %failed %fetch %fields %first_place %group %handling %has_elements %has_key %has_only %inlines %integer %join %keep %keys_and_values %least %like %lines %list %list_only %matches_any %matches_shape %name_error %no_match %pair_into %pairs_only %plus %regex %regex_part %scanned %side %size %sort_by %spawn %spawn_detached %split_matches %start %sum_add %sum_end %uniq_by %unwinding %without ArgumentError AssertionError AttributeError Boolean Bytes ConnectionError ConstraintError DatabaseError Date Duration E Enum Error Exception FileNotFoundError Float Function Hash IOError IndexError Integer JwtError KeyError Lazy LockError MailError MemoryError NameError Nil NoMatchError NoMatchingPatternError NoMemoryError NoMethodError Number OSError OidcError OverflowError PI Range RangeError Record RecursionError ReferenceError Regex RuntimeError Sequence SerializationError Set StackError StandardError StopIteration String SystemStackError TimeoutError Type TypeError UnicodeError ValueError Vector ZeroDivisionError abs acos argv asin atan atan2 await benchmark bytes_builder cbrt ceil channel clamp clock_ms cos cosh date_from date_parse env exit exp factorial floor format gcd gsub hypot input input_float input_int is_bool is_float is_function is_hash is_integer is_nan is_nil is_number is_string is_vector json_dump json_encode json_parse lcm length linspace log log10 log2 loop match match_all matches max mean median min now p paste pow pp print puts rand rand_float rand_int rand_seed random random_token regex rep round sample seq sequence shared shuffle sin sinh sleep spawn sprintf sqrt stderr stdev stdin stdout sub sum tan tanh template to_float to_int to_str today type uuid variance vec warn zip",
  io: "%close_lines %next_lines %open_lines base64_decode base64_encode csv_dump csv_parse csv_read csv_write dir_exists dir_list dotenv file_append file_copy file_delete file_exists file_lines file_mkdir file_read file_read_bytes file_rename file_write hmac_sign hmac_verify html_escape http http_client http_delete http_get http_patch http_post http_put json_read json_write path_absolute path_basename path_dirname path_extname path_join path_stem secure_compare sha256 shell url_decode url_encode",
  decimal: "Decimal",
  data: "Database database db_open",
<<<<<<< HEAD
  bus: "message_bus",
=======
  jobs: "job_queue",
>>>>>>> jobs
  web: "%content %content_add %has_content %html_attribute %html_attributes %html_document %html_raw %html_raw_value %html_text %html_url %html_url_path %html_url_query %html_urls %json_attribute %json_script %page_flush %page_hold %page_partial %page_yield %partial errors_for flash flash_message form_field halt html_response json_response memory_store paginate path_for redirect redirect_back render render_html response safe_html send_file session sse_response stream_response web_app ws_connect",
  auth: "auth_token_create auth_token_verify auth_token_verify_text basic_auth_ok? bearer_required csrf_check csrf_field csrf_required csrf_token jwt_keys jwt_required jwt_sign jwt_verify oidc password_hash password_needs_rehash? password_verify rate_limit rate_limit_required",
  mail: "mail_config mail_outbox mail_send",
  keystore: "KeyStore key_store",
  testing: "%branch %cover after_each assert assert_approx_eq assert_eq assert_false assert_in assert_match assert_neq assert_nil assert_not_nil assert_raises assert_raises_typed assert_snapshot assert_true before_each describe mock skip test test_each",
};
