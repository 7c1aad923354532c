fn main() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        // A panic leaves its frames on the stack; the host resets it.
        println!("cargo:rustc-link-arg=--export=__stack_pointer");
    }
}
