package stet;
public final class Stet { private Stet() {} public static void main(String[] a) { } }
